import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { hashedName } from '../../naming/hash-name.ts';
import { KINDS } from '../../resource/kinds.ts';
import type { Draft } from '../../resource/resource.ts';
import { watchCommits } from '../plane/watch-commits.ts';
import { createMeshViews, type MeshView, readMeshView } from './mesh-view.ts';
import { dataplane, NAMES, permission, run, step } from '../../../test/harness/random-commits.ts';
import { EAST, keyOf, newGlobal, newPlane, newZone, service, timeout } from '../../../test/harness/control-planes.ts';
import { writeDrafts } from '../../../test/harness/write-drafts.ts';

/** All that can be got out of a view. */
function allOf(view: MeshView) {
  const { policies, permissions, dataplanes, tls, index } = view;
  const lists = KINDS.map(({ type }) => index.ofType(type));
  const lost = KINDS.map(({ type }) => index.lost(type));
  const drafts = NAMES.flatMap((name) => [permission(name, 0), dataplane(name, 0), service(name), timeout(name)]);
  const keys = drafts.flatMap((one) => [keyOf(one, 'east'), { ...keyOf(one, ''), namespace: '' }]);
  const routes = NAMES.map((name) => ({ type: 'MeshHTTPRoute', mesh: 'default', zone: '', namespace: '', name }));
  const found = [...keys, ...routes].map((key) => [view.find(key), view.refusal(key), index.find(key)]);
  for (const one of lists.flat()) assert.equal(index.named(one.key.type, one.namespace, one.name), one);
  for (const { type } of KINDS) assert.equal(index.named(type, 'app', 'bb'), undefined);
  return { policies, permissions, dataplanes, tls, lists, lost, found };
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
    { numRuns: 25 },
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

it('the services of other zones are no targets of the proxies here, but one with a name of ours', () => {
  const { plane } = watchCommits(newPlane(EAST), () => {});
  plane.store.commit((tx) => tx.put(newZoneMesh('default'), { to: 'none' }, ''));
  const views = createMeshViews(plane);
  writeDrafts(plane, [service('own')]);
  const copy = (name: string, port: number) => {
    const key = { type: 'MeshService', mesh: 'default', zone: 'west', namespace: 'app', name: 'other' };
    const [labels, spec] = [{}, { ports: [{ port }] }];
    plane.store.commit((tx) => tx.put({ ...newZoneMesh('x'), key, name, namespace: 'kuma-system', labels, spec }, { to: 'none' }, ''));
  };
  const isOther = (change: () => void): boolean => {
    const { targets } = views('default');
    change();
    return views('default').targets.some((list, index) => list !== targets[index]);
  };
  assert.deepEqual(
    [
      isOther(() => copy('other-1', 80)),
      isOther(() => copy('other-1', 81)),
      isOther(() => copy(hashedName(keyOf(service('own'), 'east')), 81)),
      isOther(() => copy('other-1', 81)),
      isOther(() => copy('other-1', 82)),
      isOther(() => writeDrafts(plane, [service('next')])),
    ],
    [false, false, true, true, false, true],
  );
});

function newZoneMesh(name: string) {
  const times = { creationTime: '2026-01-01T00:00:00Z', modificationTime: '2026-01-01T00:00:00Z' };
  return { key: { type: 'Mesh', mesh: '', zone: '', namespace: '', name }, name, namespace: '', labels: {}, spec: {}, ...times };
}
