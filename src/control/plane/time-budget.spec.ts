import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { BURST, MOST_OWED, TimeBudget } from './time-budget.ts';

test('a peer has half of the time, and what it saved up', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 1, maxLength: 40 }), (works) => {
      const clock = { now: 0 };
      const budget = new TimeBudget(() => clock.now);
      let taken = 0;
      for (const work of works) {
        while (budget.isOver('east')) clock.now += 100;
        assert.ok(taken <= BURST + clock.now / 2 + MOST_OWED, `${taken} of ${clock.now} ms`);
        budget.charge('east', () => (clock.now += work));
        taken += work;
        assert.equal(budget.isOver('west'), false);
      }
      clock.now += 2 * (BURST + MOST_OWED);
      assert.equal(budget.isOver('east'), false);
    }),
  );
});

test('who took much at once waits for a while, and what fails is charged too', () => {
  const clock = { now: 0 };
  const budget = new TimeBudget(() => clock.now);
  assert.throws(() =>
    budget.charge('east', () => {
      clock.now += 60_000;
      throw new Error('it failed');
    }),
  );
  clock.now += 2 * MOST_OWED - 1;
  assert.equal(budget.isOver('east'), true);
  clock.now += 1;
  assert.equal(budget.isOver('east'), false);
  budget.settle();
  assert.equal(budget.isOver('east'), false);
});
