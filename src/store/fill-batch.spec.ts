import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { fillBatch } from './fill-batch.ts';
import { key } from '../../test/harness/sample-store.ts';

test('a batch is as long as fits, at least one row, and says whether there is more', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, unit: 'grapheme' })), fc.nat(30), (wires, maxBytes) => {
      const rows = wires.map((wire) => ({ key: key('a'), wire }));
      const { taken, more } = fillBatch(rows, maxBytes);
      const bytes = (count: number): number => Buffer.byteLength(wires.slice(0, count).join(''));
      assert.deepEqual(taken, rows.slice(0, taken.length));
      assert.equal(more, taken.length < rows.length);
      assert.ok(taken.length <= 1 || bytes(taken.length) <= maxBytes, 'not too much');
      assert.ok(!more || (taken.length > 0 && bytes(taken.length + 1) > maxBytes), 'not too little');
    }),
  );
});

test('a delete counts as long as its key', () => {
  const rows = Array.from({ length: 9 }, () => ({ key: key('a'.repeat(100)), wire: '' }));
  assert.equal(fillBatch(rows, 300).taken.length, 2);
});
