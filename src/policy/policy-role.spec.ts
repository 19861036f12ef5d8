import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { kindOf } from '../resource/kinds.ts';
import type { JsonObject } from '../resource/resource.ts';
import { type Role, roleOf } from './policy-role.ts';

interface RoleVector {
  readonly type: string;
  readonly namespace: string;
  readonly systemNamespace: string;
  readonly spec: JsonObject;
  readonly role?: Role;
  readonly rejected?: boolean;
}

const file = new URL('../../test/reference/role-vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as RoleVector[];

/** The role in `backend-ns`, or the fields of the problems. */
function verdict(type: string, spec: JsonObject, namespace = 'backend-ns'): string {
  const result = roleOf(kindOf(type), spec, namespace, 'kuma-system');
  return 'role' in result ? result.role : result.problems.map(({ field }) => field).join(' ');
}

const own: JsonObject = { targetRef: { kind: 'MeshService', name: 'backend' } };
const other: JsonObject = { targetRef: { kind: 'MeshService', name: 'redis', namespace: 'redis-ns' } };

describe('roleOf', () => {
  it('gives the roles that Kuma gives', () => {
    assert.equal(vectors.length, 90);
    for (const { type, namespace, systemNamespace, spec, role, rejected } of vectors) {
      const result = roleOf(kindOf(type), spec, namespace, systemNamespace);
      const got = 'role' in result ? result.role : 'rejected';
      assert.equal(got, rejected ? 'rejected' : role, JSON.stringify({ type, namespace, spec }));
    }
  });

  const cases: [title: string, type: string, spec: JsonObject, expected: string][] = [
    ['items of both sorts', 'MeshTimeout', { to: [own, other] }, 'spec.to[0].targetRef spec.to[1].targetRef'],
    ['the first of each sort', 'MeshTimeout', { to: [other, other, own, own] }, 'spec.to[2].targetRef spec.to[0].targetRef'],
    ['from with to', 'MeshTimeout', { from: [{}], to: [own] }, 'spec.from'],
    ['rules with to', 'MeshTimeout', { rules: [{}], to: [own] }, 'spec.rules'],
    [
      'everything that is wrong',
      'MeshTimeout',
      { from: [{}], rules: [{}], to: [own, other] },
      'spec.from spec.rules spec.to[0].targetRef spec.to[1].targetRef',
    ],
    ['an empty from', 'MeshTimeout', { from: [], to: [own] }, 'producer'],
    ['an empty to', 'MeshTimeout', { from: [{}], to: [] }, 'workload-owner'],
    ['rules alone', 'MeshTrafficPermission', { rules: [{}] }, 'workload-owner'],
    ['a single default', 'MeshTrafficPermission', { default: {} }, 'workload-owner'],
    ['an item without targetRef', 'MeshTimeout', { to: [{}] }, 'consumer'],
    ['an empty namespace', 'MeshTimeout', { to: [{ targetRef: { kind: 'MeshService', name: 'a', namespace: '' } }] }, 'producer'],
    ['empty labels', 'MeshTimeout', { to: [{ targetRef: { kind: 'MeshService', name: 'a', labels: {} } }] }, 'producer'],
    ['labels beside a name', 'MeshTimeout', { to: [{ targetRef: { kind: 'MeshService', name: 'a', labels: { a: 'b' } } }] }, 'consumer'],
    ['a namespace that is no text', 'MeshTimeout', { to: [{ targetRef: { kind: 'MeshService', name: 'a', namespace: 7 } }] }, 'consumer'],
    ['a TCP route', 'MeshTimeout', { to: [{ targetRef: { kind: 'MeshTCPRoute', name: 'a' } }] }, 'consumer'],
    ['a to that is no list', 'MeshTimeout', { to: own }, 'consumer'],
    ['an access policy', 'AccessPolicy', {}, 'workload-owner'],
    ['a load-balancing policy', 'LoadBalancingPolicy', { to: [own] }, 'workload-owner'],
    ['a privileged access policy', 'PrivilegedAccessPolicy', {}, 'system'],
  ];
  for (const [title, type, spec, expected] of cases) {
    it(`${title}: ${expected}`, () => assert.equal(verdict(type, spec), expected));
  }

  it('is system outside of custom namespaces, whatever the spec', () => {
    fc.assert(
      fc.property(fc.constantFrom('', 'kuma-system'), fc.subarray([own, other]), (namespace, to) => {
        assert.equal(verdict('MeshTimeout', { to, from: [{}] }, namespace), 'system');
      }),
    );
  });

  it('takes nothing broken for a producer', () => {
    const value = fc.jsonValue().filter((item) => !JSON.stringify(item).includes('MeshService'));
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), (items) => {
        assert.equal(verdict('MeshTimeout', { to: items as never }), 'consumer');
      }),
    );
  });
});
