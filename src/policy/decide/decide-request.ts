import type { Key } from '../../resource/key.ts';
import type { Resource } from '../../resource/resource.ts';
import { indexMesh, type MeshIndex } from '../match/mesh-index.ts';
import { readPolicies } from '../match/read-policies.ts';
import type { Policy } from '../match/policy.ts';
import { type Inbound, type Proxy, readProxy } from '../match/read-proxy.ts';
import { type SelectingPolicy, matchInbound } from '../match/select-policies.ts';
import type { Action } from '../../resource/permission-actions.ts';
import { evaluateInbound, type InboundDeciders } from './evaluate-callers.ts';
import { readPermissions, warningsAbout } from './read-permissions.ts';
import { type Request, readRequest } from './read-request.ts';

export interface DecisionQuestion {
  /** The policies of the mesh, in any order. Only MeshTrafficPermissions count. */
  readonly policies: readonly Resource[];
  readonly dataplane: Resource;
  /** One of the dataplane's (see readProxy); without it, its only one. */
  readonly inbound?: Inbound | undefined;
  readonly request: Request;
  /** Without it, that of the inbound. */
  readonly protocol?: 'http' | 'tcp' | undefined;
  /** What targetRefs may lead to; without it, nothing but the dataplane. */
  readonly mesh?: MeshIndex | undefined;
}

export interface Decision {
  readonly decision: Action;
  /** What the decision would be if all shadow actions were enforced. */
  readonly shadow: Action;
  /** The last policy in order that decided so. undefined: none did, so the request is denied. */
  readonly decidedBy: Key | undefined;
  readonly shadowDecidedBy: Key | undefined;
  /** Why, for people. */
  readonly reason: string;
  readonly warnings: readonly string[];
}

/**
 * Decides a request without Envoy: what the compiled RBAC must agree with (docs/design/access.md#evaluation). Pure.
 *
 *   no policies, any request                                                   ->  Deny, decided by nobody
 *   one policy, allow: Prefix spiffe://td/ns/obs, request of .../ns/obs/sa/x   ->  Allow, decided by it
 */
export function decide(question: DecisionQuestion): Decision {
  const mesh = question.mesh ?? indexMesh([]);
  const proxy = readProxy(question.dataplane, mesh);
  const inbound = question.inbound ?? onlyInbound(proxy);
  if (!inbound) return UNKNOWN_INBOUND;
  const matches = matchInbound(readPermissionPolicies(question.policies), proxy, inbound, mesh);
  return decideBy(
    { permissions: readPermissions(matches), callers: undefined },
    question.request,
    question.protocol ?? inbound.protocol,
    question.dataplane.key.mesh,
  );
}

/**
 * The MeshTrafficPermissions that select an inbound, in order, the shadow ones included: for showing which they are.
 */
export function permissionMatches(policies: readonly Resource[], proxy: Proxy, inbound: Inbound, mesh: MeshIndex): SelectingPolicy[] {
  return matchInbound(readPermissionPolicies(policies), proxy, inbound, mesh);
}

/** The same decision where what decides an inbound is known already. `mesh`: of a client that names no mesh. */
export function decideBy(deciders: InboundDeciders, request: Request, protocol: 'http' | 'tcp', mesh: string): Decision {
  const subject = readRequest(request, protocol, mesh);
  const enforced = evaluateInbound(deciders, subject, 'enforced');
  const shadow = evaluateInbound(deciders, subject, 'shadow');
  return {
    decision: enforced.action,
    shadow: shadow.action,
    decidedBy: enforced.decidedBy,
    shadowDecidedBy: shadow.decidedBy,
    reason: enforced.reason,
    warnings: warningsAbout(deciders.permissions),
  };
}

const UNKNOWN_INBOUND: Decision = {
  decision: 'Deny',
  shadow: 'Deny',
  decidedBy: undefined,
  shadowDecidedBy: undefined,
  reason: 'the dataplane has several inbounds, and it was not said which one',
  warnings: [],
};

function readPermissionPolicies(policies: readonly Resource[]): Policy[] {
  return readPolicies(policies.filter(({ key }) => key.type === 'MeshTrafficPermission'));
}

function onlyInbound({ inbounds }: Proxy): Inbound | undefined {
  return inbounds.length === 1 ? inbounds[0] : undefined;
}
