import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Key } from '../resource/key.ts';
import { kindOf } from '../resource/kinds.ts';
import { GLOBAL, type JsonObject, type Place } from '../resource/resource.ts';
import { explicitForm } from './explicit-form.ts';
import { roleOf } from './policy-role.ts';

const EAST: Place = { zone: 'east', environment: 'kubernetes', systemNamespace: 'kuma-system' };
const BARE: Place = { zone: 'bare', environment: 'universal', systemNamespace: '' };

/** The explicit form of a policy written at `place`, in the role that it has there. */
function explicit(type: string, namespace: string, spec: JsonObject, place: Place = EAST): JsonObject {
  const role = roleOf(kindOf(type), spec, namespace, place.systemNamespace);
  assert.ok('role' in role);
  const key: Key = { type, mesh: 'default', zone: place.zone, namespace, name: 'p' };
  return explicitForm(type, spec, role.role, key, place);
}

function subset(namespace: string, more: object = {}): JsonObject {
  return { kind: 'MeshSubset', tags: { ...more, 'k8s.kuma.io/namespace': namespace, 'kuma.io/zone': 'east' } };
}

const mesh = { kind: 'Mesh' };
const backend = { kind: 'MeshService', name: 'backend' };
const remote = { ...backend, namespace: 'backend-ns' };

describe('explicitForm', () => {
  // Each row is a pair of docs/design/sources.md#namespace: the short policy means the long one.
  const pairs: [title: string, type: string, namespace: string, short: JsonObject, long: JsonObject][] = [
    ['producer', 'MeshTimeout', 'backend-ns', { to: [{ targetRef: backend }] }, { targetRef: mesh, to: [{ targetRef: remote }] }],
    [
      'workload owner',
      'MeshTimeout',
      'backend-ns',
      { from: [{ targetRef: mesh }] },
      { targetRef: subset('backend-ns'), from: [{ targetRef: mesh }] },
    ],
    [
      'workload owner on Mesh',
      'MeshTimeout',
      'backend-ns',
      { targetRef: mesh, from: [{ targetRef: mesh }] },
      { targetRef: subset('backend-ns'), from: [{ targetRef: mesh }] },
    ],
    [
      'consumer',
      'MeshTimeout',
      'frontend-ns',
      { to: [{ targetRef: remote }] },
      { targetRef: subset('frontend-ns'), to: [{ targetRef: remote }] },
    ],
    [
      'consumer on Mesh',
      'MeshTimeout',
      'frontend-ns',
      { targetRef: mesh, to: [{ targetRef: remote }] },
      { targetRef: subset('frontend-ns'), to: [{ targetRef: remote }] },
    ],
    [
      'empty from',
      'MeshTimeout',
      'backend-ns',
      { from: [{ default: {} }] },
      { targetRef: subset('backend-ns'), from: [{ targetRef: mesh, default: {} }] },
    ],
  ];
  for (const [title, type, namespace, short, long] of pairs) {
    it(`${title}: short and long are one`, () => {
      assert.deepEqual(explicit(type, namespace, short), long);
      assert.deepEqual(explicit(type, namespace, long), long);
    });
  }

  const external = { kind: 'MeshExternalService', name: 'ext' };
  const rules = [{ default: { backendRefs: [backend, remote, external], filters: [{ requestMirror: { backendRef: backend } }] } }];
  const labelled = { kind: 'MeshService', labels: { 'kuma.io/display-name': 'backend' } };
  const subsetRef = { kind: 'MeshServiceSubset', name: 'backend', tags: { version: 'v2' } };
  const top = (spec: JsonObject) => spec.targetRef;

  it('gives an external service the system namespace', () => {
    const spec = explicit('MeshTimeout', 'frontend-ns', { to: [{ targetRef: external }] });
    assert.deepEqual(spec.to, [{ targetRef: { ...external, namespace: 'kuma-system' } }]);
  });

  it('says the namespaces of backends and mirrors', () => {
    const inNs = { ...backend, namespace: 'web-ns' };
    const spec = explicit('MeshHTTPRoute', 'web-ns', { to: [{ targetRef: backend, rules }] });
    const backendRefs = [inNs, remote, { ...external, namespace: 'kuma-system' }];
    const filters = [{ requestMirror: { backendRef: inNs } }];
    assert.deepEqual(spec, { targetRef: mesh, to: [{ targetRef: inNs, rules: [{ default: { backendRefs, filters } }] }] });
  });

  it('leaves labels and tag values alone', () => {
    const to = [{ targetRef: labelled }, { targetRef: subsetRef }, { targetRef: mesh }];
    assert.deepEqual(explicit('MeshTimeout', 'ns', { to }).to, to);
  });

  it('keeps what else a target says, but not another zone or namespace', () => {
    const tags = { app: 'web', 'kuma.io/zone': 'west', 'k8s.kuma.io/namespace': 'other' };
    assert.deepEqual(top(explicit('MeshTrace', 'ns', { targetRef: { kind: 'MeshSubset', tags } })), subset('ns', { app: 'web' }));
    assert.deepEqual(top(explicit('MeshTrace', 'ns', { targetRef: { ...mesh, proxyTypes: ['Sidecar'] } })), {
      ...subset('ns'),
      proxyTypes: ['Sidecar'],
    });
  });

  it('leaves a producer’s subset, and every other kind of target, as they are', () => {
    const pinned = { kind: 'MeshSubset', tags: { 'kuma.io/zone': 'west' } };
    assert.deepEqual(top(explicit('MeshTimeout', 'backend-ns', { targetRef: pinned, to: [{ targetRef: backend }] })), pinned);
    for (const targetRef of [{ kind: 'Dataplane', labels: { app: 'web' } }, subsetRef, { kind: 'MeshHTTPRoute', name: 'r' }]) {
      assert.deepEqual(top(explicit('MeshTrace', 'ns', { targetRef })), targetRef);
    }
  });

  it('takes an empty targetRef for an absent one', () => {
    assert.deepEqual(explicit('MeshTimeout', 'ns', { targetRef: {}, from: [{ targetRef: {} }] }), {
      targetRef: subset('ns'),
      from: [{ targetRef: mesh }],
    });
  });

  it('adds no namespaces on universal and on global, and no subset to system policies', () => {
    const to = [{ targetRef: backend }, { targetRef: external }];
    assert.deepEqual(explicit('MeshTimeout', '', { to }, BARE), { targetRef: mesh, to });
    assert.deepEqual(explicit('MeshTimeout', '', { to }, GLOBAL), { targetRef: mesh, to });
    assert.deepEqual(top(explicit('MeshTimeout', 'kuma-system', { to })), mesh);
    const pinned = { kind: 'MeshSubset', tags: { 'kuma.io/zone': 'west' } };
    assert.deepEqual(top(explicit('MeshTimeout', 'kuma-system', { targetRef: pinned })), pinned);
  });

  it('leaves what is no targetRef policy alone', () => {
    const spec = { from: [{}], to: [{}] };
    assert.equal(
      explicitForm(
        'AccessPolicy',
        spec,
        'workload-owner',
        { type: 'AccessPolicy', mesh: 'm', zone: 'east', namespace: 'n', name: 'a' },
        EAST,
      ),
      spec,
    );
  });

  it('never widens what is broken', () => {
    for (const targetRef of [
      'Mesh',
      7,
      ['Mesh'],
      { tags: { a: 'b' } },
      { kind: 'MeshSubset', tags: 'app' },
      { kind: 'MeshSubset', tags: ['app'] },
    ]) {
      assert.deepEqual(top(explicit('MeshTrace', 'ns', { targetRef })), targetRef);
    }
  });

  it('is the same when it is made twice, and does not change its input', () => {
    const targetRef = fc.constantFrom({}, mesh, pairs[1]?.[4].targetRef ?? {}, subsetRef);
    const item = fc.record({ targetRef: fc.constantFrom(backend, external, labelled, remote, mesh), rules: fc.constant(rules) });
    fc.assert(
      fc.property(targetRef, fc.array(item), fc.constantFrom(EAST, BARE, GLOBAL), fc.boolean(), (target, items, place, producer) => {
        const to = producer ? items.map((i) => ({ ...i, targetRef: backend })) : items.filter((i) => i.targetRef !== backend);
        const namespace = place === EAST ? 'web-ns' : '';
        const spec = { targetRef: target, to } as JsonObject;
        const before = JSON.stringify(spec);
        const once = explicit('MeshHTTPRoute', namespace, spec, place);
        assert.equal(JSON.stringify(spec), before);
        assert.deepEqual(explicit('MeshHTTPRoute', namespace, once, place), once);
      }),
    );
  });
});
