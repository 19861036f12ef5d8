import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type AttributeRequirement, type Selection, selects } from './attribute-selector.ts';
import type { Attributes } from './attributes.ts';
import { forEachInBoth, indexSelections, type ManySelections } from './many-selections.ts';

const KEYS = ['k8s:ns', 'k8s:label:app', 'site:location'];
/** Places within places, and what looks like one. */
const VALUES = ['a', 'a/b', 'a/b/c', 'a/', 'ab', '', '/', 'long'.repeat(100)];

const key = fc.constantFrom(...KEYS);
const requirement: fc.Arbitrary<AttributeRequirement> = fc.oneof(
  fc.record({
    key,
    operator: fc.constantFrom('In' as const, 'NotIn' as const),
    values: fc.array(fc.constantFrom(...VALUES), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ key, operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const), values: fc.constant([]) }),
);
const selection: fc.Arbitrary<Selection> = fc.array(fc.array(requirement, { maxLength: 3 }), { maxLength: 3 });
const attributes: fc.Arbitrary<Attributes> = fc
  .dictionary(key, fc.constantFrom(...VALUES, 'named by nobody', 'long'.repeat(100)), { maxKeys: 3 })
  .map((given) => new Map(Object.entries(given)));

function matching(ask: ManySelections, set: Attributes): number[] {
  const found: number[] = [];
  const bits = ask(set);
  forEachInBoth(bits, bits, (bit) => found.push(bit));
  return found;
}

const oneByOne = (selections: readonly Selection[], set: Attributes) =>
  selections.flatMap((one, index) => (selects(one, set) ? [index] : []));

describe('many selections', () => {
  it('match as each does alone, whatever was asked before', () => {
    fc.assert(
      fc.property(fc.array(selection, { maxLength: 80 }), fc.array(attributes, { minLength: 1, maxLength: 10 }), (selections, sets) => {
        const ask = indexSelections(selections);
        for (const set of [...sets, ...sets]) assert.deepEqual(matching(ask, set), oneByOne(selections, set));
      }),
    );
  });

  it('of more selectors than are looked at together, and of more values than are kept', () => {
    const asking = (operator: 'In' | 'NotIn', value: number): Selection => [[{ key: 'k8s:sa', operator, values: [`sa-${value}`] }]];
    const selections = Array.from({ length: 1_300 }, (_, index) => asking(index % 3 === 0 ? 'NotIn' : 'In', index));
    const ask = indexSelections(selections);
    for (const round of [0, 1]) {
      for (let value = 0; value < 1_400; value += 1 + round) {
        const set = new Map([['k8s:sa', `sa-${value}`]]);
        if (value % 100 < 2) assert.deepEqual(matching(ask, set), oneByOne(selections, set));
        else ask(set);
      }
    }
  });

  it('none', () => {
    assert.deepEqual(matching(indexSelections([]), new Map([['k8s:ns', 'a']])), []);
    assert.deepEqual(matching(indexSelections([[], [[]]]), new Map()), [1]);
  });
});
