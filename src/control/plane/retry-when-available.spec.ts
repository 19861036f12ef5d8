import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MeridianError } from '../../errors.ts';
import { retryWhenAvailable } from './retry-when-available.ts';

it('says once that the store takes nothing, once that it does again, and hides nothing else', () => {
  const said: string[] = [];
  const attempt = retryWhenAvailable(
    (level, event, { reason }) => void said.push(`${level}: ${event} ${String(reason ?? '')}`),
    'insights',
  );
  const full = (): void => {
    throw new MeridianError('unavailable', 'it is full');
  };
  for (const write of [() => {}, full, full, () => {}, () => {}, full]) attempt(write);
  const [late, again] = ['error: insights can not be written now it is full', 'info: insights are written again '];
  assert.deepEqual(said, [late, again, late]);
  for (const other of [new MeridianError('invalid', 'it is damaged'), new Error('a bug')])
    assert.throws(
      () =>
        attempt(() => {
          throw other;
        }),
      other,
    );
});
