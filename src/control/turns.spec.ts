import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { PER_TURN, Turns } from './turns.js';

function newTurns() {
  const handled: string[] = [];
  const tasks: (() => void)[] = [];
  const turns = new Turns(
    (peer) => handled.push(peer),
    (task) => tasks.push(task),
  );
  return { turns, handled, tasks };
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
