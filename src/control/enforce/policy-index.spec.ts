import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../resource/resource.ts';
import { dataplane, exact, permission, resource, storedPermission, world } from '../../../test/harness/policies.ts';
import { PolicyIndex } from './policy-index.ts';
import { matchInbound } from '../../policy/match/select-policies.ts';

const ALLOW = { default: { allow: [exact('spiffe://td/web')] } };
const one = fc.constantFrom('a', 'b');
const pairs = fc.dictionary(fc.constantFrom('app', 'env', 'kuma.io/service', 'kuma.io/zone'), one, { maxKeys: 2 });
const targetRef: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constant({ kind: 'Mesh' }),
  pairs.map((tags) => ({ kind: 'MeshSubset', tags })),
  fc.tuple(one, pairs).map(([name, tags]) => ({ kind: 'MeshServiceSubset', name, tags })),
  one.map((name) => ({ kind: 'MeshService', name })),
  one.map((name) => ({ kind: 'MeshHTTPRoute', name })),
  pairs.filter((labels) => Object.keys(labels).length > 0).map((labels) => ({ kind: 'Dataplane', labels })),
  one.map((name) => ({ kind: 'Dataplane', name })),
  fc.constant({ kind: 'Dataplane' }),
);
const from = fc.constantFrom('', 'east', 'east/a', 'east/b', 'west/a');

it('all that select an inbound are among those that may, and those that name another proxy are not', () => {
  let [selecting, left] = [0, 0];
  fc.assert(
    fc.property(
      fc.array(fc.tuple(targetRef, from), { maxLength: 12 }),
      fc.record({ name: one, from, tags: pairs, labels: pairs }),
      (refs, shape) => {
        const permissions = refs.map(([ref, origin], index) => permission(`p-${index}`, { targetRef: ref, ...ALLOW }, origin));
        const unreadable = storedPermission('unreadable', { targetRef: 'x', default: { allow: [] } });
        const service = resource('MeshService', 'a', { selector: { dataplaneTags: { app: 'a' } } }, 'east');
        const { policies, proxy, inbound, mesh } = world([...permissions, unreadable], dataplane(shape), [service]);
        const may = new PolicyIndex(policies).maySelect(proxy, inbound);
        const matches = matchInbound(policies, proxy, inbound, mesh);
        for (const { policy } of matches) assert.ok(may.has(policy), JSON.stringify(policy.targetRef));
        selecting += matches.length;
        left += policies.length - may.size;
      },
    ),
    { numRuns: 500 },
  );
  assert.ok(selecting > 500 && left > 500, `${selecting} select, ${left} were left out`);
});

it('a proxy is asked about those that may select it alone', () => {
  const named = Array.from({ length: 1_000 }, (_, index) =>
    permission(`p-${index}`, { targetRef: { kind: 'Dataplane', name: `dp-${index}` }, ...ALLOW }),
  );
  const { policies, proxy, inbound } = world(named, dataplane({ name: 'dp-7' }), []);
  assert.equal(new PolicyIndex(policies).maySelect(proxy, inbound).size, 1);
});
