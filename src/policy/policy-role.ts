import type { Problem } from '../errors.ts';
import { asArray, asObject, asText, isAbsent } from '../naming/json.ts';
import type { Kind } from '../resource/kinds.ts';
import type { JsonObject, JsonValue } from '../resource/resource.ts';
import { kindAt, TO, type ToKind } from '../resource/schema/reference-kinds.ts';

/** What a policy is to the proxies that it touches (docs/design/roles.md#roles), least specific first. */
export const ROLES = ['system', 'producer', 'consumer', 'workload-owner'] as const;

export type Role = (typeof ROLES)[number];

/** Whether a policy touches proxies of its own zone and namespace alone (docs/design/roles.md#whose-proxies). */
const STAYS_HOME: Readonly<Record<Role, boolean>> = { system: false, producer: false, consumer: true, 'workload-owner': true };

export function staysHome(role: Role): boolean {
  return STAYS_HOME[role];
}

/** Whether resources of a kind have a role: targetRef policies and access policies. */
export function hasRole(kind: Kind): boolean {
  return kind.policy !== undefined || kind.nature === 'access';
}

/**
 * Whether a namespace belongs to users, and not to the mesh's operators. '' is none at all: global and universal zones.
 */
export function isCustom(namespace: string, systemNamespace: string): boolean {
  return namespace !== '' && namespace !== systemNamespace;
}

/**
 * The role of a policy, or why it can't have one (docs/design/roles.md#roles; all vectors of Kuma 2.14.3 match). Empty
 * lists count as absent.
 *
 *   in `backend-ns`, to: MeshService backend                            -> producer
 *   in `backend-ns`, to: MeshService backend of namespace `other`       -> consumer
 *   in `backend-ns`, both of them                                       -> refused
 */
export function roleOf(
  kind: Kind,
  spec: JsonObject,
  namespace: string,
  systemNamespace: string,
): { readonly role: Role } | { readonly problems: readonly Problem[] } {
  if (!isCustom(namespace, systemNamespace)) return { role: 'system' };
  // ClusterLink's: the namespaced ones are synced like consumer policies (docs/design/attributes.md#kinds).
  if (!kind.policy) return { role: kind.nature === 'access' && kind.namespaced ? 'workload-owner' : 'system' };
  if (isAbsent(spec.to)) return { role: 'workload-owner' };
  const items = asArray(spec.to);
  const producer = items.findIndex((item) => isProducerItem(item, namespace));
  const consumer = items.findIndex((item) => !isProducerItem(item, namespace));
  const problems = [...inboundProblems(spec), ...mixProblems(producer, consumer, namespace)];
  if (problems.length > 0) return { problems };
  return { role: producer < 0 ? 'consumer' : 'producer' };
}

/**
 * Whether an item of `to` names a service or a route in the policy's own namespace. An item that can't be read does
 * not: consumer policies reach less.
 */
function isProducerItem(item: JsonValue, own: string): boolean {
  const { kind, name, namespace, labels } = asObject(asObject(item)?.targetRef) ?? {};
  if (!mayBeProduced(kindAt(TO, kind)) || asText(name) === undefined || !isAbsent(labels)) return false;
  return isAbsent(namespace) || namespace === '' || namespace === own;
}

/** Whether the owner of what is named speaks for it to everybody: of services and HTTP routes, as with Kuma. */
function mayBeProduced(kind: ToKind | undefined): boolean {
  switch (kind) {
    case 'MeshService':
    case 'MeshHTTPRoute':
      return true;
    case 'Mesh':
    case 'MeshServiceSubset':
    case 'MeshMultiZoneService':
    case 'MeshExternalService':
    case 'MeshTCPRoute':
    case undefined:
      return false;
  }
}

/**
 * `to` decides between producer and consumer, `from` and `rules` are the workload owner's: one policy can't be both.
 */
function inboundProblems(spec: JsonObject): Problem[] {
  return ['from', 'rules']
    .filter((list) => !isAbsent(spec[list]))
    .map((list) => ({
      field: `spec.${list}`,
      reason: `can't stand together with spec.to in a custom namespace: split the policy in two`,
    }));
}

function mixProblems(producer: number, consumer: number, namespace: string): Problem[] {
  if (producer < 0 || consumer < 0) return [];
  const [own, other] = [`spec.to[${producer}].targetRef`, `spec.to[${consumer}].targetRef`];
  const advice = 'split the policy in two';
  return [
    { field: own, reason: `names a service or route of namespace "${namespace}" (producer), but ${other} does not (consumer): ${advice}` },
    { field: other, reason: `names no service or route of namespace "${namespace}" (consumer), but ${own} does (producer): ${advice}` },
  ];
}
