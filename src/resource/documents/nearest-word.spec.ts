import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nearest } from './nearest-word.ts';

const WORDS = ['MeshTimeout', 'MeshTrace', 'Zone'];

test('finds the word that was meant', () => {
  for (const [typed, meant] of [
    ['MeshTimeuot', 'MeshTimeout'],
    ['meshtrace', 'MeshTrace'],
    ['Zones', 'Zone'],
    ['Pod', undefined],
    ['', undefined],
    ['MeshTimeout'.repeat(1000), undefined],
  ] as const) {
    assert.equal(nearest(typed, WORDS), meant, typed);
  }
});

test('one letter more or less is always found', () => {
  fc.assert(
    fc.property(fc.constantFrom(...WORDS), fc.nat(), (word, at) => {
      const index = at % word.length;
      assert.equal(nearest(word.slice(0, index) + word.slice(index + 1), WORDS), word);
      assert.equal(nearest(`${word.slice(0, index)}x${word.slice(index)}`, WORDS), word);
    }),
  );
});
