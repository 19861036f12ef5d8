import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from './check-schema.ts';
import { BACKEND, FROM, type ReferencePosition, TO, TOP } from './reference-kinds.ts';
import { isAbsent, targetRef } from './target-ref.ts';

const POSITIONS: Readonly<Record<string, ReferencePosition>> = { TOP, TO, FROM, BACKEND };

/** A good reference of each kind that is tried at each position. */
const GOOD: readonly [positions: string, ref: Record<string, unknown>][] = [
  ['TOP FROM', {}],
  ['TOP TO FROM', { kind: 'Mesh' }],
  ['TOP', { kind: 'Mesh', proxyTypes: ['Sidecar', 'Gateway'] }],
  ['FROM', { kind: 'Mesh', mesh: 'other' }],
  ['TOP FROM', { kind: 'MeshSubset', tags: { 'kuma.io/zone': 'east' } }],
  ['TOP FROM', { kind: 'MeshSubset' }],
  ['TOP TO FROM BACKEND', { kind: 'MeshService', name: 'backend_backend-ns_svc_8080' }],
  ['TOP TO BACKEND', { kind: 'MeshService', name: 'backend', namespace: 'ns', sectionName: 'http' }],
  ['TOP TO BACKEND', { kind: 'MeshService', labels: { 'kuma.io/display-name': 'backend' } }],
  ['FROM', { kind: 'MeshService', name: 'backend', mesh: 'other' }],
  ['TOP TO FROM BACKEND', { kind: 'MeshServiceSubset', name: 'backend', tags: { version: 'v1' } }],
  ['TO BACKEND', { kind: 'MeshExternalService', name: 'ext' }],
  ['TO BACKEND', { kind: 'MeshMultiZoneService', labels: { a: 'b' } }],
  ['TOP', { kind: 'MeshGateway', name: 'edge', tags: { port: '80' } }],
  ['TOP', { kind: 'Dataplane' }],
  ['TOP', { kind: 'Dataplane', labels: { app: 'backend' }, sectionName: '8080' }],
  ['TOP', { kind: 'Dataplane', labels: { canary: '' } }],
  ['TOP TO BACKEND', { kind: 'MeshService', labels: { canary: '', app: 'a' } }],
  ['TOP', { kind: 'Dataplane', name: 'a.b', namespace: 'ns' }],
  ['TOP TO', { kind: 'MeshHTTPRoute', name: 'route', namespace: 'ns' }],
  ['TOP TO', { kind: 'MeshTCPRoute', labels: { a: 'b' } }],
  ['TOP', { kind: 'MeshGatewayRoute', name: 'route' }],
];

test('each kind stands where it may, with what it may say there', () => {
  for (const [positions, ref] of GOOD) {
    for (const [name, position] of Object.entries(POSITIONS)) {
      const { problems } = check(targetRef(position, {}), ref, []);
      assert.equal(
        problems.length === 0,
        positions.split(' ').includes(name),
        `${name} ${JSON.stringify(ref)} ${JSON.stringify(problems)}`,
      );
    }
  }
});

/** Bad at every position where the kind may stand; the field of the first problem. */
const BAD: readonly [position: string, ref: unknown, field: string][] = [
  ['TOP', null, ''],
  ['TOP', [], ''],
  ['TOP', { name: 'a' }, 'kind'],
  ['TOP', { kind: 'mesh' }, 'kind'],
  ['TOP', { kind: 'constructor' }, 'kind'],
  ['TOP', { kind: null }, 'kind'],
  ['TOP', { kind: 'Mesh', nmae: 'a' }, 'nmae'],
  ['TOP', { kind: 'Mesh', proxyTypes: [] }, 'proxyTypes'],
  ['TOP', { kind: 'Mesh', proxyTypes: ['Ingress'] }, 'proxyTypes[0]'],
  ['TOP', { kind: 'MeshSubset', tags: { a: '' } }, 'tags.a'],
  ['TOP', { kind: 'MeshSubset', tags: { a: 1 } }, 'tags.a'],
  ['TOP', { kind: 'MeshSubset', tags: { a: 'b/c' } }, 'tags.a'],
  ['TOP', { kind: 'MeshSubset', tags: [] }, 'tags'],
  ['TOP', { kind: 'Dataplane', labels: {} }, 'labels'],
  ['TOP', { kind: 'Dataplane', labels: { a: 'x'.repeat(254) } }, 'labels.a'],
  ['TOP', { kind: 'Dataplane', labels: { a: null } }, 'labels.a'],
  ['TOP', { kind: 'Dataplane', name: 'a', labels: { b: 'c' } }, 'labels'],
  ['TOP', { kind: 'Dataplane', namespace: 'ns' }, 'namespace'],
  ['TOP', { kind: 'Dataplane', name: 'A' }, 'name'],
  ['TOP', { kind: 'MeshService', name: 'a/b' }, 'name'],
  ['TOP', { kind: 'MeshService', name: '' }, 'name'],
  ['TOP', { kind: 'MeshService', name: 'a', namespace: 'n.s' }, 'namespace'],
  ['TOP', { kind: 'MeshService', name: 'a', sectionName: 'a_b' }, 'sectionName'],
  ['TOP', { kind: 'MeshServiceSubset', name: 'a', namespace: 'ns' }, 'namespace'],
  ['TO', {}, 'kind'],
  ['TO', { kind: 'MeshService' }, 'name'],
  ['FROM', { kind: 'MeshService', name: 'a', namespace: 'ns' }, 'namespace'],
  ['FROM', { kind: 'Mesh', mesh: 'A' }, 'mesh'],
];

test('a reference that can not mean what it says is refused', () => {
  for (const [position, ref, field] of BAD) {
    const { problems } = check(targetRef(POSITIONS[position] ?? TOP, {}), ref, []);
    assert.deepEqual(
      problems.map((problem) => problem.field),
      [field],
      JSON.stringify(ref),
    );
  }
});

test('an empty reference is an absent one', () => {
  assert.deepEqual([undefined, {}, { kind: 'Mesh' }, null, 'a'].map(isAbsent), [true, true, false, false, false]);
});
