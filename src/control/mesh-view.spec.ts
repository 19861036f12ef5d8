import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { GLOBAL_PEER } from '../resource/audience.js';
import { KINDS } from '../resource/kinds.js';
import type { Draft } from '../resource/resource.js';
import { watchCommits } from './commits.js';
import { createMeshViews, type MeshView, readMeshView } from './mesh-view.js';
import type { Plane } from './plane.js';
import { EAST, keyOf, newGlobal, newPlane, newZone, service, timeout } from './sample.spec.js';
import { deleteResource, dryRunDocuments, writeDrafts } from './write.js';

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const targetRefs = [{ kind: 'Mesh' }, { kind: 'Dataplane', name: 'a' }, { kind: 'Dataplane' }, { kind: 'MeshSubset', tags: { x: 'y' } }];

const permission = (name: string, index: number): Draft => ({
  ...timeout(name),
  type: 'MeshTrafficPermission',
  spec: {
    targetRef: targetRefs[index % targetRefs.length] ?? {},
    rules: [{ default: { allow: [{ spiffeId: { type: 'Exact', value: `spiffe://td/${index}` } }] } }],
  },
});
const dataplane = (name: string, index: number): Draft => ({
  ...timeout(name),
  type: 'Dataplane',
  spec: { networking: { address: '127.0.0.1', inbound: [{ port: 8_000 + index, tags: { 'kuma.io/service': name } }] } },
});
const draft = fc
  .tuple(fc.constantFrom('permission', 'dataplane', 'service', 'timeout'), fc.constantFrom(...NAMES), fc.nat({ max: 3 }))
  .map(([what, name, index]): Draft => {
    const made = {
      permission: permission(name, index),
      dataplane: dataplane(name, index),
      service: service(name),
      timeout: timeout(name, {}, `s${index}`),
    };
    return made[what as keyof typeof made];
  });

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      drafts: fc.uniqueArray(draft, { selector: ({ type, name }) => type + name, maxLength: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), draft }) },
  fc.record({ do: fc.constant('dry run' as const), draft }),
  fc.record({ do: fc.constant('refuse' as const), name: fc.constantFrom(...NAMES), gone: fc.boolean() }),
  fc.record({ do: fc.constant('mesh' as const), mode: fc.constantFrom('STRICT', 'PERMISSIVE') }),
  fc.record({ do: fc.constant('setting' as const) }),
  fc.record({ do: fc.constant('unseen' as const), draft }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** `unseen`: by way of the store that nobody watches. */
function run(step: Step, plane: Plane, unwatched: Plane): void {
  switch (step.do) {
    case 'write':
      return void writeDrafts(plane, step.drafts);
    case 'delete': {
      const key = keyOf(step.draft, 'east');
      return plane.store.has(key) ? deleteResource(plane, key) : undefined;
    }
    case 'dry run':
      return void dryRunDocuments(plane, [{ draft: step.draft, problems: [] }]);
    case 'refuse': {
      const key = { type: 'MeshTrafficPermission', mesh: 'default', zone: '', namespace: '', name: step.name };
      const refusal = { key, hash: '00', reason: 'too new', since: '2026-01-01T00:00:00Z', inForce: 'deny' } as const;
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

/** All that can be got out of a view. */
function allOf(view: MeshView) {
  const { policies, permissions, dataplanes, tls, index } = view;
  const lists = KINDS.map(({ type }) => index.ofType(type));
  const drafts = NAMES.flatMap((name) => [permission(name, 0), dataplane(name, 0), service(name), timeout(name)]);
  const keys = drafts.flatMap((one) => [keyOf(one, 'east'), { ...keyOf(one, ''), namespace: '' }]);
  const found = keys.map((key) => [view.find(key), view.refusal(key), index.find(key)]);
  for (const one of lists.flat()) assert.equal(index.named(one.key.type, one.namespace, one.name), one);
  for (const { type } of KINDS) assert.equal(index.named(type, 'app', 'bb'), undefined);
  return { policies, permissions, dataplanes, tls, lists, found };
}

it('the view of a mesh that changed commit by commit is that of the mesh read anew', () => {
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 12 }), (turns) => {
      const unwatched = newZone(EAST, newGlobal(EAST));
      const { plane } = watchCommits(unwatched, () => {});
      const views = createMeshViews(plane);
      for (const steps of turns) {
        const before = plane.store.head().revision;
        for (const step of steps) run(step, plane, unwatched);
        const view = views('default');
        assert.deepEqual(allOf(view), allOf(readMeshView(plane, 'default')));
        if (steps.length === 0) assert.equal(before, plane.store.head().revision);
        assert.equal(views('default'), view);
      }
    }),
    { numRuns: 60 },
  );
});

it('a view stays the same object where its mesh is not touched', () => {
  const { plane } = watchCommits(newPlane(EAST), () => {});
  const mesh = (name: string): Draft => ({ ...service(name), type: 'Mesh', mesh: '', namespace: undefined, spec: {} });
  plane.store.commit((tx) => {
    for (const name of ['one', 'two']) tx.put({ ...newZoneMesh(name), spec: mesh(name).spec }, { to: 'none' }, '');
  });
  const views = createMeshViews(plane);
  writeDrafts(plane, [{ ...service('a'), mesh: 'one' }]);
  const [one, two] = [views('one'), views('two')];
  writeDrafts(plane, [{ ...service('b'), mesh: 'one' }]);
  assert.notEqual(views('one'), one);
  assert.equal(views('two'), two);
});

function newZoneMesh(name: string) {
  const times = { creationTime: '2026-01-01T00:00:00Z', modificationTime: '2026-01-01T00:00:00Z' };
  return { key: { type: 'Mesh', mesh: '', zone: '', namespace: '', name }, name, namespace: '', labels: {}, spec: {}, ...times };
}
