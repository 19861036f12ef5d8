import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { hashedName } from '../../naming/hash-name.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import type { TargetRef } from '../../resource/schema/reference-kinds.ts';
import { indexMesh, targetsOf, means, TargetIndex } from './mesh-index.ts';
import { readPolicy } from './read-policies.ts';
import { readProxy } from './read-proxy.ts';
import { asksOf, serviceSelects } from './service-selector.ts';

const pairs = fc.dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom('a', 'b'), { maxKeys: 2, noNullPrototype: true });
const place = { zone: fc.constantFrom('east', 'west'), namespace: fc.constantFrom('app', 'shop') };

function resource(
  type: string,
  { zone, namespace, name }: { zone: string; namespace: string; name: string },
  more: Partial<Resource>,
): Resource {
  const key = { type, mesh: 'default', zone, namespace, name };
  return { key, name, namespace, labels: {}, spec: {}, creationTime: '', modificationTime: '', ...more };
}

const service = fc
  .record({
    ...place,
    name: fc.constantFrom('x', 'y', 'z'),
    labels: pairs,
    how: fc.constantFrom('tags', 'labels', 'flat', 'ref', 'none'),
    wanted: pairs,
  })
  .map(({ labels, how, wanted, ...at }) => {
    const selectors: Record<typeof how, JsonObject> = {
      tags: { dataplaneTags: wanted },
      labels: { dataplaneLabels: { matchLabels: wanted } },
      flat: { dataplaneLabels: wanted },
      ref: { dataplaneRef: { name: 'd' } },
      none: {},
    };
    return resource('MeshService', at, { labels, spec: { selector: selectors[how], ports: [{ port: 80, targetPort: 8080 }] } });
  });
const dataplane = fc
  .record({ ...place, name: fc.constantFrom('d', 'e'), labels: pairs, tags: pairs })
  .map(({ labels, tags, ...at }) => resource('Dataplane', at, { labels, spec: { networking: { inbound: [{ port: 8080, tags }] } } }));
const ref = fc.oneof(
  fc.record({ kind: fc.constant('MeshService'), labels: pairs }),
  fc.record({ kind: fc.constant('MeshService'), name: fc.constantFrom('x', 'y', 'nope') }),
  fc.record({ kind: fc.constant('MeshService'), hashed: service }).map(({ kind, hashed }) => ({ kind, name: hashedName(hashed.key) })),
);

test('what is looked up is what going over all would find, also after changes', () => {
  fc.assert(
    fc.property(fc.array(service), fc.array(service), dataplane, ref, fc.record(place), (before, now, proxied, to, at) => {
      const targetRef = to as TargetRef;
      const policy = readPolicy(resource('MeshTrafficPermission', { ...at, name: 'p' }, { spec: { targetRef: { ...to } as JsonObject } }));
      const last = new Map([...before, ...now].map((one) => [JSON.stringify(one.key), one]));
      const gone = [...last.values()].slice(0, 2);
      const targets = new TargetIndex(before);
      targets.hashed('x');
      for (const one of now) targets.put(one);
      for (const { key } of gone) targets.delete(key);
      const left = [...last.values()].filter((one) => !gone.includes(one));
      const mesh = { ...indexMesh(left), targets: () => targets };
      const expected = left.filter((one) => means(targetRef, policy, one, mesh));
      assert.deepEqual(new Set(targetsOf('MeshService', targetRef, policy, mesh)), new Set(expected));
      const proxy = readProxy(proxied, mesh);
      for (const inbound of proxy.inbounds) {
        const found = new Set(targets.selecting(asksOf(proxy, inbound)));
        for (const one of left) if (serviceSelects(one, proxy, inbound, undefined)) assert.ok(found.has(one));
        assert.ok([...found].every((one) => left.includes(one)));
      }
    }),
    { numRuns: 500 },
  );
});

test('one of thousands of services is found without looking at the others', () => {
  const services = Array.from({ length: 20_000 }, (_, n) =>
    resource(
      'MeshService',
      { zone: 'east', namespace: 'app', name: `s${n}` },
      { labels: { app: `a${n}` }, spec: { selector: { dataplaneTags: { app: `a${n}` } } } },
    ),
  );
  const targets = new TargetIndex(services);
  const at = resource(
    'Dataplane',
    { zone: 'east', namespace: 'app', name: 'd' },
    { spec: { networking: { inbound: [{ port: 1, tags: { app: 'a7' } }] } } },
  );
  const proxy = readProxy(at, indexMesh([]));
  assert.deepEqual(
    [[...targets.carrying({ app: 'a7' })], ...proxy.inbounds.map((inbound) => [...targets.selecting(asksOf(proxy, inbound))])],
    [[services[7]], [services[7]]],
  );
});
