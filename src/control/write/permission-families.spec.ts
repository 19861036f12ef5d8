import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { Draft, JsonObject } from '../../resource/resource.ts';
import { watchCommits } from '../plane/watch-commits.ts';
import { familyOf, keepFamilies, readFamilies } from './permission-families.ts';
import { permission } from '../../../test/harness/random-commits.ts';
import { EAST, keyOf, newGlobal, newZone } from '../../../test/harness/control-planes.ts';
import { deleteResource, writeDrafts } from '../../../test/harness/write-drafts.ts';

const NAMES = ['a', 'b', 'c'];
const everybody = { targetRef: { kind: 'Mesh' }, default: { action: 'Allow' } };
const SPECS: readonly JsonObject[] = [
  permission('a', 0).spec,
  { targetRef: { kind: 'Mesh' }, from: [everybody] },
  { targetRef: { kind: 'Mesh' }, from: [{ ...everybody, default: { action: 'Deny' } }] },
];

const step = fc.record({ name: fc.constantFrom(...NAMES), spec: fc.constantFrom(undefined, ...SPECS) });

it('the kept witnesses are there when those that are read anew are, and are of their family', () => {
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 10 }), (turns) => {
      const { plane } = watchCommits(newZone(EAST, newGlobal(EAST)), () => {});
      const kept = keepFamilies(plane);
      for (const steps of turns) {
        for (const { name, spec } of steps) {
          const draft: Draft = permission(name, 0);
          const key = keyOf(draft, 'east');
          if (spec) writeDrafts(plane, [{ ...draft, spec }]);
          else if (plane.store.get(key)) deleteResource(plane, key);
        }
        const [found, anew] = [kept('default', (key) => plane.store.get(key)?.resource), readFamilies(plane.store, 'default')];
        for (const family of ['lists', 'fromAll'] as const) {
          const witness = found[family];
          assert.equal(witness === undefined, anew[family] === undefined);
          if (witness) assert.equal(familyOf(plane.store.get(witness)?.resource.spec ?? {}), family);
        }
      }
    }),
    { numRuns: 60 },
  );
});
