import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Labels } from '../../resource/labels.ts';
import type { JsonObject, Place, Resource } from '../../resource/resource.ts';
import { explicitForm } from '../explicit-form.ts';
import { dataplane, permission, resource, world } from '../../../test/harness/policies.ts';
import { roleHere } from './read-policies.ts';
import { matchInbound } from './select-policies.ts';

const service = (from: string) => resource('MeshService', 'backend', { selector: { dataplaneTags: { app: 'backend' } } }, from);

function selects(targetRef: JsonObject, at: string, home: string): boolean {
  const target = dataplane({ tags: { app: 'backend' }, from: at });
  const { policies, proxy, inbound, mesh } = world([permission('p', { targetRef, default: { deny: [{ method: 'GET' }] } }, home)], target);
  return matchInbound(policies, proxy, inbound, mesh).length > 0;
}

describe('the explicit form', () => {
  const zones = ['east', 'west', ''] as const;
  const spaces = ['ns', 'os', 'kuma-system', ''] as const;
  const place = fc.tuple(fc.constantFrom(...zones), fc.constantFrom(...spaces)).map(([zone, space]) => `${zone}/${space}`);
  // Values that may lie about where they are.
  const set = fc
    .record(
      {
        app: fc.constantFrom('backend', 'web'),
        'k8s.kuma.io/namespace': fc.constantFrom('ns', 'os'),
        'kuma.io/zone': fc.constantFrom('east', 'west'),
        'kuma.io/service': fc.constantFrom('backend', 'web'),
      },
      { requiredKeys: [] },
    )
    .map((tags) => ({ ...tags }));
  const proxyTypes = fc.constantFrom<JsonObject>({}, { proxyTypes: ['Sidecar'] }, { proxyTypes: ['Gateway'] });
  const target: fc.Arbitrary<JsonObject> = fc.oneof(
    fc.constant({}),
    proxyTypes.map((more) => ({ kind: 'Mesh', ...more })),
    { weight: 4, arbitrary: fc.tuple(set, proxyTypes).map(([tags, more]) => ({ kind: 'MeshSubset', tags, ...more })) },
    set.map((tags) => ({ kind: 'MeshServiceSubset', name: 'backend', tags })),
    fc
      .tuple(set, fc.constantFrom<JsonObject>({}, { sectionName: 'main' }))
      .map(([labels, more]) => ({ kind: 'Dataplane', ...(Object.keys(labels).length > 0 ? { labels } : {}), ...more })),
    fc.constantFrom<JsonObject>(
      { kind: 'Dataplane', name: 'backend-1' },
      { kind: 'Dataplane', name: 'backend-1', namespace: 'os' },
      { kind: 'MeshService', name: 'backend' },
      { kind: 'MeshHTTPRoute', name: 'r' },
    ),
  );
  const own = { targetRef: { kind: 'MeshService', name: 'x' } };
  const other = { targetRef: { kind: 'MeshService', name: 'x', namespace: 'z' } };
  const shapes = fc.constantFrom<readonly [type: string, spec: JsonObject]>(
    ['MeshTrafficPermission', { default: { deny: [{ method: 'GET' }] } }],
    ['MeshTimeout', { to: [own] }],
    ['MeshTimeout', { to: [other] }],
    ['MeshTimeout', { from: [{}] }],
  );

  it('selects what the policy selects, and nothing beyond its own zone and namespace but a producer’s', () => {
    fc.assert(
      fc.property(
        target,
        shapes,
        place,
        fc.option(place, { freq: 1, nil: undefined }),
        set,
        set,
        (targetRef, [type, spec], home, away, tags, labels) => {
          const at = away ?? home;
          fc.pre(!at.startsWith('/'));
          const proxyLabels = Object.fromEntries(Object.entries(labels).filter(([label]) => label === 'app'));
          const target = dataplane({ from: at, tags, labels: proxyLabels });
          const written = resource(type, 'p', { targetRef, ...spec }, home);
          const { key } = written;
          const origin: Place = { zone: key.zone, environment: 'kubernetes', systemNamespace: 'kuma-system' };
          const role = roleHere(written);
          const meant: Resource = { ...written, spec: explicitForm(type, written.spec, role, key, origin) };
          const to = [{ targetRef: { kind: 'MeshService', name: 'backend' }, rules: [{ default: {} }] }];
          const others = [service(at), resource('MeshHTTPRoute', 'r', { to }, at), resource('MeshHTTPRoute', 'r', { to }, home)];
          const selected = [written, meant].map((policy) => {
            const { policies, proxy, inbound, mesh } = world([policy], target, others);
            return matchInbound(policies, proxy, inbound, mesh).map(({ via }) => via);
          });
          assert.deepEqual(selected[0], selected[1]);
          if (role === 'consumer' || role === 'workload-owner') {
            const { zone, namespace } = target.key;
            if (key.zone !== zone || key.namespace !== namespace) assert.deepEqual(selected[0], []);
            // Whoever is at home is selected, whatever a MeshSubset says of zone and namespace.
            else if (targetRef.kind === 'MeshSubset' && targetRef.proxyTypes === undefined) {
              const asked = Object.entries(targetRef.tags as Labels).filter(([tag]) => tag.startsWith('app') || tag === 'kuma.io/service');
              const has: Labels = tags;
              assert.equal(selected[0]?.length, asked.every(([tag, value]) => has[tag] === value) ? 1 : 0);
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  for (const tags of [{ 'k8s.kuma.io/namespace': 'other-ns' }, { 'kuma.io/zone': 'west' }, { 'kuma.io/zone': 'west', app: 'backend' }]) {
    it(`of ${JSON.stringify(tags)} in backend-ns is of backend-ns, and is matched`, () => {
      const targetRef = { kind: 'MeshSubset', tags };
      assert.equal(selects(targetRef, 'east/backend-ns', 'east/backend-ns'), true);
      for (const from of ['east/other-ns', 'west/backend-ns', 'west/other-ns'])
        assert.equal(selects(targetRef, from, 'east/backend-ns'), false);
    });
  }
});
