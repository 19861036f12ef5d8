import type { Problem } from '../errors.ts';
import { asObject } from '../naming/json.ts';
import { isRoute, KINDS } from '../resource/kinds.ts';
import type { JsonObject } from '../resource/resource.ts';
import { isCustom, type Role } from './policy-role.ts';

/** The policies that configure nothing but Envoy clusters. */
const CLUSTER_POLICIES = new Set(KINDS.filter(({ clusters }) => clusters).map(({ type }) => type));

/** Whether policies of a role, in a custom namespace, may target a MeshGateway at all. */
const MAY_TARGET: Readonly<Record<Role, boolean>> = { system: true, producer: true, consumer: false, 'workload-owner': true };

/**
 * What a policy in a custom namespace may not do with a MeshGateway, which belongs to the whole cluster
 * (docs/design/roles.md#gateways). `to` may name a route on a gateway; in the system namespace everything goes,
 * backends of other namespaces included. `role` is undefined where the policy can't have one.
 */
export function gatewayProblems(
  type: string,
  spec: JsonObject,
  role: Role | undefined,
  namespace: string,
  systemNamespace: string,
): Problem[] {
  if (!isCustom(namespace, systemNamespace) || asObject(spec.targetRef)?.kind !== 'MeshGateway') return [];
  const reasons: string[] = [];
  if (isRoute(type)) {
    reasons.push(
      `a ${type} on a MeshGateway belongs in the system namespace "${systemNamespace}", where its backends may be of any namespace`,
    );
  } else if (!CLUSTER_POLICIES.has(type)) {
    reasons.push(
      `in a custom namespace only ${[...CLUSTER_POLICIES].join(' and ')} may target a MeshGateway: target its routes in spec.to, or use "${systemNamespace}"`,
    );
  }
  if (role !== undefined && !MAY_TARGET[role]) {
    reasons.push(`a ${role} policy can’t target a MeshGateway: it belongs to the whole cluster, not to this namespace`);
  }
  return reasons.map((reason) => ({ field: 'spec.targetRef.kind', reason }));
}
