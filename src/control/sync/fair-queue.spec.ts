import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { FairQueue } from './fair-queue.ts';
import { BURST, TimeBudget } from '../plane/time-budget.ts';
import { PER_TURN } from '../plane/round-robin.ts';

function newQueue(maxWaiting?: number) {
  const handled: string[] = [];
  const tasks: (() => void)[] = [];
  const clock = { now: 0 };
  const queue = new FairQueue(
    (peer, text) => {
      handled.push(`${peer}${text}`);
      if (text === 'long') clock.now += BURST + 1_000;
    },
    { soon: (task) => tasks.push(task), now: () => clock.now },
    { maxWaiting, budget: new TimeBudget(() => clock.now) },
  );
  const run = () => {
    for (let task = tasks.shift(); task; task = tasks.shift()) task();
  };
  return { queue, handled, run, tasks, clock };
}

test('one of each peer in turn', () => {
  const { queue, handled, run } = newQueue();
  for (let n = 0; n < 3; n++) queue.add('a', String(n));
  queue.add('b', '0');
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
        queue.add(peer, String(n));
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

test('what waits is bounded in size: those who have most of it lose, never one that has little', () => {
  const message = fc.record({ peer: fc.constantFrom('a', 'b', 'c'), size: fc.integer({ min: 1, max: 40 }) });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 60 }), (messages) => {
      const { queue, handled, run } = newQueue(100);
      queue.add('quiet', 'x');
      for (const { peer, size } of messages) {
        queue.add(peer, '-'.repeat(size));
        assert.ok(queue.size() <= 100);
      }
      run();
      assert.equal(queue.size(), 0);
      assert.ok(handled.includes('quietx'));
    }),
  );
});

test('many peers are heard a few at a time', () => {
  const { queue, handled, tasks, clock } = newQueue();
  for (let peer = 0; peer < 3 * PER_TURN; peer++) queue.add(`p${peer} `, '0');
  tasks.shift()?.();
  assert.equal(handled.length, PER_TURN);
  clock.now = Number.POSITIVE_INFINITY;
  tasks.shift()?.();
  assert.equal(handled.length, PER_TURN + 1);
});

test('a peer that took more than its share waits until it has paid, the others do not', () => {
  const { queue, handled, run, clock } = newQueue();
  for (const text of ['long', '1', '2']) queue.add('a', text);
  queue.add('b', '1');
  run();
  assert.deepEqual([handled, queue.isHeld('a'), queue.isHeld('b')], [['along', 'b1'], true, false]);
  queue.add('a', '3');
  queue.add('b', '2');
  queue.resume();
  run();
  assert.deepEqual(handled, ['along', 'b1', 'b2']);
  clock.now += 2_000;
  queue.resume();
  run();
  assert.deepEqual([handled, queue.isHeld('a')], [['along', 'b1', 'b2', 'a1', 'a2', 'a3'], false]);
});
