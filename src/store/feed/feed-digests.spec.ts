import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { addHash, EMPTY_DIGEST, formatDigest, hashItem } from '../../kds/digest.ts';
import { formatAudience, includes } from '../../resource/audience.ts';
import { isIncluded } from './feed-changes.ts';
import { key, PEERS, someAudience } from '../../../test/harness/sample-store.ts';
import {
  ABSENT,
  addItem,
  applyStep,
  copyDigests,
  emptyDigests,
  type FeedState,
  type FeedDigests,
  summaryOf,
  undoStep,
} from './feed-digests.ts';

const someItem = fc.record({
  zone: fc.constantFrom('', 'east', 'west', 'north'),
  audience: someAudience,
  wire: fc.string({ minLength: 1 }),
});
const someItems = fc.array(someItem);
type DigestedItem = typeof someItem extends fc.Arbitrary<infer T> ? T : never;

function stateOf({ audience, wire }: DigestedItem): FeedState {
  return audience.to === 'none' ? ABSENT : { audience: formatAudience(audience), hash: hashItem(wire) };
}

function naive(items: readonly DigestedItem[], peer: string) {
  const mine = items.filter(({ zone, audience }) => includes(audience, key('x', zone), peer));
  return { count: mine.length, digest: formatDigest(mine.reduce((sum, { wire }) => addHash(sum, hashItem(wire)), EMPTY_DIGEST)) };
}

function sumsOf(items: readonly DigestedItem[]): FeedDigests {
  const sums = emptyDigests();
  for (const item of items) addItem(sums, item.zone, stateOf(item));
  return sums;
}

test('the sums give the summary of every feed, as `includes` decides', () => {
  fc.assert(
    fc.property(someItems, (items) => {
      for (const peer of PEERS) assert.deepEqual(summaryOf(sumsOf(items), peer), naive(items, peer));
    }),
  );
});

test('a step that was undone left nothing, and a copy stays as it was', () => {
  fc.assert(
    fc.property(someItems, fc.array(fc.tuple(someItem, someItem)), (items, pairs) => {
      const sums = sumsOf(items);
      const copy = copyDigests(sums);
      const steps = pairs.map(([from, to]) => ({ zone: from.zone, before: stateOf(from), after: stateOf(to) }));
      for (const step of steps) applyStep(sums, step);
      for (const peer of PEERS) assert.deepEqual(summaryOf(copy, peer), naive(items, peer));
      for (const step of steps.reverse()) undoStep(sums, step);
      for (const peer of PEERS) assert.deepEqual(summaryOf(sums, peer), naive(items, peer));
    }),
  );
});

test('isIncluded is `includes` in SQL', () => {
  const db = new Database(':memory:');
  const decide = db.prepare<unknown[], number>(`SELECT ${isIncluded('@audience', '@zone')}`).pluck();
  fc.assert(
    fc.property(someAudience, fc.constantFrom('', ...PEERS), fc.constantFrom('', ...PEERS), (audience, zone, peer) => {
      const answer = decide.get({ audience: formatAudience(audience), zone, peer });
      assert.equal(answer === 1, includes(audience, key('x', zone), peer));
    }),
  );
  db.close();
});
