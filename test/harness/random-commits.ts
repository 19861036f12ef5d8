import fc from 'fast-check';
import { inForceAfterRefusal } from '../../src/kds/refusal.ts';
import { GLOBAL_PEER } from '../../src/resource/audience.ts';
import type { Draft, JsonObject } from '../../src/resource/resource.ts';
import type { Plane } from '../../src/control/plane/plane.ts';
import { tryDocuments } from './dry-run.ts';
import { keyOf, service, timeout } from './control-planes.ts';
import { deleteResource, writeDrafts } from './write-drafts.ts';

/** What the tests of this folder that need any commits share. */

export const NAMES = ['a', 'b', 'c', 'd', 'e'];
const targetRefs: readonly JsonObject[] = [
  { kind: 'MeshService', name: 'a' },
  { kind: 'MeshHTTPRoute', name: 'b' },
  { kind: 'MeshHTTPRoute', labels: { 'kuma.io/display-name': 'b' } },
  { kind: 'Mesh' },
  { kind: 'Dataplane', name: 'a' },
  { kind: 'Dataplane' },
  { kind: 'MeshSubset', tags: { x: 'y' } },
];

export const permission = (name: string, index: number): Draft => ({
  ...timeout(name),
  type: 'MeshTrafficPermission',
  spec: {
    targetRef: targetRefs[index % targetRefs.length] ?? {},
    rules: [{ default: { [index % 3 === 2 ? 'deny' : 'allow']: [{ spiffeId: { type: 'Exact', value: `spiffe://td/${index}` } }] } }],
  },
});
export const dataplane = (name: string, index: number): Draft => ({
  ...timeout(name),
  type: 'Dataplane',
  spec: {
    networking: {
      address: '127.0.0.1',
      inbound: [{ port: 8_000 + index, tags: { 'kuma.io/service': name, 'kuma.io/protocol': index % 2 === 0 ? 'http' : 'tcp' } }],
    },
  },
});
const selecting = (name: string, index: number): Draft => ({
  ...service(name),
  spec: {
    ports: [{ port: 80, targetPort: 8_000 + index }],
    selector: { dataplaneTags: { 'kuma.io/service': NAMES[index % NAMES.length] ?? '' } },
  },
});
const route = (name: string, index: number): Draft => {
  const rules = [{ matches: [{ path: { type: 'PathPrefix', value: `/${index}` } }], default: {} }];
  return {
    ...timeout(name),
    type: 'MeshHTTPRoute',
    spec: { to: [{ targetRef: { kind: 'MeshService', name: NAMES[index % 2] ?? '' }, rules }] },
  };
};
const draft = fc
  .tuple(
    fc.constantFrom('permission', 'permission', 'dataplane', 'service', 'route', 'timeout'),
    fc.constantFrom(...NAMES),
    fc.nat({ max: 7 }),
  )
  .map(([what, name, index]): Draft => {
    const made = {
      permission: permission(name, index),
      dataplane: dataplane(name, index),
      service: selecting(name, index),
      route: route(name, index),
      timeout: timeout(name, {}, `s${index}`),
    };
    return made[what as keyof typeof made];
  });

export const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      drafts: fc.uniqueArray(draft, { selector: ({ type, name }) => type + name, maxLength: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), draft }) },
  fc.record({ do: fc.constant('dry run' as const), draft }),
  fc.record({
    do: fc.constant('refuse' as const),
    type: fc.constantFrom('MeshTrafficPermission', 'MeshHTTPRoute'),
    name: fc.constantFrom(...NAMES),
    gone: fc.boolean(),
  }),
  fc.record({ do: fc.constant('mesh' as const), mode: fc.constantFrom('STRICT', 'PERMISSIVE') }),
  fc.record({ do: fc.constant('setting' as const) }),
  fc.record({ do: fc.constant('unseen' as const), draft }),
);
export type CommitStep = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** `unseen`: by way of the store that nobody watches. */
export function run(step: CommitStep, plane: Plane, unwatched: Plane): void {
  switch (step.do) {
    case 'write':
      return void writeDrafts(plane, step.drafts);
    case 'delete': {
      const key = keyOf(step.draft, 'east');
      return plane.store.has(key) ? deleteResource(plane, key) : undefined;
    }
    case 'dry run':
      return void tryDocuments(plane, [{ draft: step.draft, problems: [] }]);
    case 'refuse': {
      const key = { type: step.type, mesh: 'default', zone: '', namespace: '', name: step.name };
      const inForce = inForceAfterRefusal(key, false);
      const refusal = { key, hash: '00', reason: 'too new', since: '2026-01-01T00:00:00Z', inForce };
      return plane.store.commit((tx) =>
        step.gone ? tx.mirror.delete(GLOBAL_PEER, key) : tx.mirror.put(GLOBAL_PEER, { key, wire: '{}', hash: '00', term: 1, refusal }),
      );
    }
    case 'mesh': {
      const row = plane.store.get({ type: 'Mesh', mesh: '', zone: '', namespace: '', name: 'default' });
      const spec = { mtls: { enabledBackend: 'x', backends: [{ name: 'x', mode: step.mode }] } };
      return plane.store.commit((tx) => row && void tx.put({ ...row.resource, spec }, row.audience, row.wire));
    }
    case 'setting':
      return plane.store.commit((tx) => tx.setSetting('a', 'b'));
    case 'unseen':
      return void writeDrafts(unwatched, [step.draft]);
  }
}
