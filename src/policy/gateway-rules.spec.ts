import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KINDS, kindOf } from '../resource/kinds.ts';
import type { JsonObject } from '../resource/resource.ts';
import { gatewayProblems } from './gateway-rules.ts';
import { roleOf } from './policy-role.ts';

const targetRef = { kind: 'MeshGateway', name: 'edge-gateway' };
const own = { targetRef: { kind: 'MeshService', name: 'frontend' } };
const other = { targetRef: { kind: 'MeshService', name: 'backend', namespace: 'backend-ns' } };
const route = { targetRef: { kind: 'MeshHTTPRoute', name: 'gateway-route', namespace: 'kuma-system' } };

function problems(type: string, spec: JsonObject, namespace = 'frontend-ns'): string {
  const result = roleOf(kindOf(type), spec, namespace, 'kuma-system');
  const role = 'role' in result ? result.role : undefined;
  const found = gatewayProblems(type, spec, role, namespace, 'kuma-system');
  for (const { field } of found) assert.equal(field, 'spec.targetRef.kind');
  return found.map(({ reason }) => reason).join('\n');
}

describe('gatewayProblems', () => {
  const cases: [title: string, type: string, spec: JsonObject, expected: RegExp][] = [
    ['producer circuit breaker (the example of its source)', 'MeshCircuitBreaker', { targetRef, to: [own] }, /^$/],
    ['producer health check', 'MeshHealthCheck', { targetRef, to: [own] }, /^$/],
    ['consumer circuit breaker', 'MeshCircuitBreaker', { targetRef, to: [other] }, /^a consumer policy[^\n]*$/],
    [
      'producer timeout',
      'MeshTimeout',
      { targetRef, to: [own] },
      /^in a custom namespace only MeshCircuitBreaker and MeshHealthCheck[^\n]*$/,
    ],
    ['consumer timeout', 'MeshTimeout', { targetRef, to: [other] }, /in a custom namespace only.*\na consumer policy/],
    ['workload owner', 'MeshTrafficPermission', { targetRef, default: {} }, /^in a custom namespace only/],
    [
      'HTTP route',
      'MeshHTTPRoute',
      { targetRef, to: [own] },
      /^a MeshHTTPRoute on a MeshGateway belongs in the system namespace "kuma-system"/,
    ],
    ['TCP route', 'MeshTCPRoute', { targetRef, to: [own] }, /^a MeshTCPRoute on a MeshGateway belongs/],
    ['a route on a gateway in `to`', 'MeshTimeout', { to: [route] }, /^$/],
    ['a policy without a role', 'MeshTimeout', { targetRef, to: [own, other] }, /^in a custom namespace only[^\n]*$/],
    ['a targetRef that is no object', 'MeshTimeout', { targetRef: 'MeshGateway', to: [own] }, /^$/],
  ];
  for (const [title, type, spec, expected] of cases) {
    it(title, () => assert.match(problems(type, spec), expected));
  }

  it('has nothing to say in the system namespace and where there are none', () => {
    for (const { type } of KINDS.filter(({ policy }) => policy)) {
      for (const namespace of ['', 'kuma-system']) assert.equal(problems(type, { targetRef, to: [other] }, namespace), '');
    }
  });
});
