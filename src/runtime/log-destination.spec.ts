import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LogDestination } from './log-destination.ts';

/** A file that takes so many bytes, then fails. */
function file() {
  const state = { text: '', room: Number.POSITIVE_INFINITY, code: 'ENOSPC' };
  const put = (bytes: Uint8Array): number => {
    const taken = Math.min(bytes.length, state.room);
    if (taken === 0) throw Object.assign(new Error(`${state.code}: can't write`), { code: state.code });
    state.room -= taken;
    state.text += Buffer.from(bytes.subarray(0, taken)).toString();
    return taken;
  };
  return { state, log: new LogDestination((lost) => `lost ${lost}\n`, put) };
}

test('whatever fails when: no write throws, and each line is there whole or counted, and the file says how many are not', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const step = fc.oneof(
    fc.constant('write' as const),
    fc.constant('wait' as const),
    fc.record({ room: fc.nat(20), code: fc.constantFrom('ENOSPC', 'EPIPE', 'EIO', 'EAGAIN', 'EFBIG') }),
    fc.constant({ room: Number.POSITIVE_INFINITY, code: 'ENOSPC' }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { state, log } = file();
      let written = 0;
      for (const one of steps) {
        if (one === 'write') log.write(`line ${++written}\n`);
        else if (one === 'wait') t.mock.timers.tick(1_000);
        else Object.assign(state, one);
      }
      state.room = Number.POSITIVE_INFINITY;
      t.mock.timers.tick(1_000);
      const lines = state.text.split('\n').slice(0, -1);
      const whole = lines.filter((line) => /^line \d+$/.test(line) && Number(line.slice(5)) <= written);
      const said = lines.flatMap((line) => /^lost (\d+)$/.exec(line)?.[1] ?? []).reduce((sum, lost) => sum + Number(lost), 0);
      assert.equal(said, log.loss().lines);
      assert.ok(new Set(whole).size + log.loss().lines >= written, state.text);
      assert.equal(log.loss().reason, undefined);
    }),
  );
});

test('what is lost is said once, in a line of its own, as soon as it is possible', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { state, log } = file();
  log.write('first\n');
  state.room = 3;
  for (const line of ['second\n', 'third\n', 'fourth\n']) log.write(line);
  assert.deepEqual(log.loss(), { lines: 3, reason: "ENOSPC: can't write" });
  state.room = Number.POSITIVE_INFINITY;
  t.mock.timers.tick(1_000);
  log.write('fifth\n');
  assert.equal(state.text, 'first\nsec\nlost 3\nfifth\n');
  assert.deepEqual(log.loss(), { lines: 3, reason: undefined });
});

test('a reader who is slow loses nothing, up to a bound', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { state, log } = file();
  Object.assign(state, { room: 4, code: 'EAGAIN' });
  const line = `${'x'.repeat(1_000)}\n`;
  for (let index = 0; index < 1_000; index++) log.write(line);
  assert.equal(log.loss().lines, 0);
  for (let index = 0; index < 1_000; index++) log.write(line);
  const { lines } = log.loss();
  assert.ok(lines > 900 && lines < 1_000);
  state.room = Number.POSITIVE_INFINITY;
  t.mock.timers.tick(1_000);
  assert.equal(state.text.split('\n').filter((one) => one.length === 1_000).length, 2_000 - lines);
  assert.match(state.text, new RegExp(`^x{1000}\nlost ${lines}\n`));
});
