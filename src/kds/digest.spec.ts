import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { addHash, EMPTY_DIGEST, formatDigest, hashItem, parseDigest, subtractHash } from './digest.ts';

const items = fc.array(fc.string());
const sum = (texts: readonly string[]) => texts.map(hashItem).reduce(addHash, EMPTY_DIGEST);

test('the order of items does not matter', () => {
  fc.assert(fc.property(items, (texts) => assert.equal(sum([...texts].reverse()), sum(texts))));
});

test('subtracting undoes adding', () => {
  fc.assert(
    fc.property(items, fc.string(), (texts, more) => assert.equal(subtractHash(sum([...texts, more]), hashItem(more)), sum(texts))),
  );
});

test('another item is another digest', () => {
  fc.assert(fc.property(items, fc.string(), (texts, more) => assert.notEqual(sum([...texts, more]), sum(texts))));
});

test('a digest reads as it was written, 64 digits', () => {
  fc.assert(
    fc.property(items, (texts) => {
      assert.equal(parseDigest(formatDigest(sum(texts))), sum(texts));
      assert.equal(formatDigest(sum(texts)).length, 64);
    }),
  );
});
