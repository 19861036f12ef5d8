import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Buckets } from './rate-bucket.ts';

test('a burst, then as many as come in', () => {
  let now = 0;
  const buckets = new Buckets({ perSecond: 2, burst: 3 }, () => now);
  assert.deepEqual(
    [1, 2, 3, 4].map(() => buckets.take('a')),
    [0, 0, 0, 1],
  );
  assert.equal(buckets.take('b'), 0);
  now = 500;
  assert.deepEqual([buckets.take('a'), buckets.take('a')], [0, 1]);
  now = 60_000;
  assert.deepEqual(
    [1, 2, 3, 4].map(() => buckets.take('a')),
    [0, 0, 0, 1],
  );
});

test('the wait is as long as it says, and no shorter', () => {
  let now = 0;
  const buckets = new Buckets({ perSecond: 1 / 3, burst: 1 }, () => now);
  assert.deepEqual([buckets.take('a'), buckets.take('a')], [0, 3]);
  now = 2_999;
  assert.equal(buckets.take('a'), 1);
  now = 3_000;
  assert.equal(buckets.take('a'), 0);
});

test('what is given back can be taken again, and is never more than a burst', () => {
  const buckets = new Buckets({ perSecond: 1, burst: 2 }, () => 0);
  buckets.giveBack('a');
  assert.deepEqual(
    [1, 2, 3].map(() => buckets.take('a')),
    [0, 0, 1],
  );
  buckets.giveBack('a');
  assert.deepEqual([buckets.take('a'), buckets.take('a')], [0, 1]);
});

test('never lets more through than the burst and what came in since', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 200 });
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20 }), (steps, perSecond, burst) => {
      let now = 0;
      const buckets = new Buckets({ perSecond, burst }, () => now);
      let through = 0;
      for (const step of steps) {
        now += step;
        if (buckets.take('a') === 0) through++;
        assert.ok(through <= burst + (now / 1000) * perSecond + 1e-6);
      }
    }),
  );
});

test('many keys do not fill the memory: those that were not seen for longest are forgotten', () => {
  const buckets = new Buckets({ perSecond: 1, burst: 1 }, () => 0);
  buckets.take('first');
  buckets.take('last');
  for (let key = 0; key < 9_999; key++) buckets.take(String(key));
  assert.deepEqual([buckets.take('last'), buckets.take('first')], [1, 0]);
});
