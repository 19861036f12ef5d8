import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { FairQueue } from './queue.js';

function newQueue() {
  const handled: string[] = [];
  const tasks: (() => void)[] = [];
  const queue = new FairQueue<number>(
    (peer, n) => handled.push(`${peer}${n}`),
    (task) => tasks.push(task),
  );
  const run = () => {
    for (let task = tasks.shift(); task; task = tasks.shift()) task();
  };
  return { queue, handled, run };
}

test('one of each peer in turn', () => {
  const { queue, handled, run } = newQueue();
  for (let n = 0; n < 3; n++) queue.add('a', n);
  queue.add('b', 0);
  run();
  assert.deepEqual(handled, ['a0', 'b0', 'a1', 'a2']);
});

test('a flood costs another peer one turn at most, and keeps its own order', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 200 }), (order) => {
      const { queue, handled, run } = newQueue();
      const counts = new Map<string, number>();
      for (const peer of order) {
        const n = counts.get(peer) ?? 0;
        counts.set(peer, n + 1);
        queue.add(peer, n);
      }
      run();
      assert.equal(
        handled.length,
        [...counts.values()].reduce((sum, n) => sum + Math.min(n, 64), 0),
      );
      for (const [peer, n] of counts) {
        const turns = handled.flatMap((entry, at) => (entry.startsWith(peer) ? [at] : []));
        assert.deepEqual(
          turns.map((at) => handled[at]),
          Array.from({ length: Math.min(n, 64) }, (_, i) => `${peer}${i}`),
        );
        turns.forEach((at, turn) => assert.ok(at < (turn + 1) * counts.size));
      }
    }),
  );
});
