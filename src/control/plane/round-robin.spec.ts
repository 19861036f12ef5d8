import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LONGEST_TURN, PER_TURN, RoundRobin } from './round-robin.ts';

function newTurns() {
  const handled: string[] = [];
  const tasks: (() => void)[] = [];
  const clock = { now: 0 };
  const turns = new RoundRobin((peer) => handled.push(peer), { soon: (task) => tasks.push(task), now: () => clock.now });
  return { turns, handled, tasks, clock };
}

test('each peer has one turn, in the order in which they were added, a few between two of the event loop', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3 * PER_TURN }).map(String), { maxLength: 300 }), (order) => {
      const { turns, handled, tasks } = newTurns();
      for (const peer of order) turns.add(peer);
      for (let task = tasks.shift(); task; task = tasks.shift()) {
        const before = handled.length;
        task();
        assert.ok(handled.length - before <= PER_TURN);
        assert.ok(tasks.length <= 1);
      }
      assert.deepEqual(handled, [...new Set(order)]);
    }),
  );
});

test('one that is added after its turn has another one, behind those that wait', () => {
  const { turns, handled, tasks } = newTurns();
  const peers = Array.from({ length: PER_TURN + 1 }, (_, index) => `p${index}`);
  for (const peer of peers) turns.add(peer);
  tasks.shift()?.();
  turns.add('p0');
  for (let task = tasks.shift(); task; task = tasks.shift()) task();
  assert.deepEqual(handled, [...peers, 'p0']);
});

test('a turn that takes long ends early, though never before the first', () => {
  const tasks: (() => void)[] = [];
  let now = 0;
  const handled: string[] = [];
  const take = (peer: string) => {
    now += LONGEST_TURN / 2;
    handled.push(peer);
  };
  const turns = new RoundRobin(take, { soon: (task) => tasks.push(task), now: () => now });
  for (let peer = 0; peer < 5; peer++) turns.add(`p${peer}`);
  const after = Array.from({ length: 3 }, () => {
    tasks.shift()?.();
    return handled.length;
  });
  assert.deepEqual([after, tasks.length], [[2, 4, 5], 0]);
});
