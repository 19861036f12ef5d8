import { test } from 'node:test';
import { Registry } from 'prom-client';
import { until } from '../../test/harness/until.ts';
import { measureLoopDelay } from './loop-delay.ts';

test('a turn that takes long is one delay of its length', async () => {
  const registry = new Registry();
  measureLoopDelay(registry);
  // A timer of Node that is due while the loop is kept comes afterwards.
  const end = performance.now() + 700;
  while (performance.now() < end);
  const longOnes = async () => {
    const text = await registry.metrics();
    const number = (line: RegExp) => Number(line.exec(text)?.[1] ?? 0);
    return number(/_count (\d+)/) - number(/_bucket\{le="0.5"\} (\d+)/);
  };
  await until('one delay of more than half a second', async () => (await longOnes()) === 1);
});
