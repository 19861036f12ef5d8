import { asArray, asObject, asText } from '../../naming/json.ts';
import { sameKey } from '../../resource/key.ts';
import { findKind, isRoute } from '../../resource/kinds.ts';
import type { Labels } from '../../resource/labels.ts';
import type { JsonObject, JsonValue, Resource } from '../../resource/resource.ts';
import { kindAt, meansRoutes, namedType, type TargetRef, TO, type ToKind } from '../../resource/schema/reference-kinds.ts';
import { canonical, type MergedConf, mergeParts, type PolicyConf } from './merge-confs.ts';
import { type MeshIndex, means } from './mesh-index.ts';
import { compareToItems } from './policy-order.ts';
import type { Policy } from './policy.ts';
import { includesAll, labelsOf, SERVICE_TAG } from './proxy-tags.ts';

/** An item of `to`. Its conf is its `default`; of a route, what stands beside the targetRef. */
export interface ToItem extends PolicyConf {
  readonly targetRef: TargetRef<ToKind>;
  readonly index: number;
}

/** Where outgoing traffic goes: a service by its tags or by its resource, or a route to one. */
export interface Destination {
  /** The MeshService, MeshExternalService, MeshMultiZoneService or route that it is. */
  readonly resource?: Resource | undefined;
  /** The port of the service, by name or number. */
  readonly sections?: readonly string[] | undefined;
  /** The tags of an outbound that knows its service by `kuma.io/service`. */
  readonly tags?: Labels | undefined;
  /** What the route is about: what is said of that holds for the route too. */
  readonly parent?: Destination | undefined;
}

/** Every item of `to` of policies of one kind, the weakest first (docs/design/matching.md#order). */
export function toItems(policies: readonly Policy[]): ToItem[] {
  return policies
    .flatMap((policy) => asArray(policy.resource.spec.to).flatMap((item, index) => readItem(policy, item, index)))
    .sort(compareToItems);
}

function readItem(policy: Policy, value: JsonValue, index: number): ToItem[] {
  const { targetRef: ref, ...beside } = asObject(value) ?? {};
  const kind = kindAt(TO, asObject(ref)?.kind);
  if (kind === undefined) return [];
  const route = isRoute(policy.resource.key.type);
  // A stored policy was checked by its schema: a reference with a kind of its position is one.
  const targetRef = { ...asObject(ref), kind } as TargetRef<ToKind>;
  return [{ policy, index, targetRef, conf: route ? beside : (asObject(beside.default) ?? {}) }];
}

/**
 * What policies of one kind say of one destination. In: items in order. undefined: nothing.
 *
 *   [Mesh {a: 1, b: 1}, backend {b: 2}]  for backend  ->  {a: 1, b: 2}, for any other  ->  {a: 1, b: 1}
 */
export function mergeTo(type: string, items: readonly ToItem[], destination: Destination, mesh: MeshIndex): MergedConf | undefined {
  return mergeParts(
    type,
    items.filter((item) => isMeant(item, destination, mesh)),
  );
}

/** Each targetRef that items have, once: for showing what there are confs for. */
export function targetsOf(items: readonly ToItem[]): TargetRef<ToKind>[] {
  const refs = items.map(subjectOf);
  return [...new Map(refs.map((ref) => [canonical(ref as unknown as JsonObject), ref])).values()];
}

/** What an item is about, for show: a policy on a route is about the route. */
export function subjectOf({ policy: { targetRef: top }, targetRef }: ToItem): TargetRef<ToKind> {
  const kind = top && meansRoutes(top.kind) ? kindAt(TO, namedType(top.kind)) : undefined;
  return kind === undefined ? targetRef : { ...top, kind };
}

/** What a policy on a route says is for requests through that route alone. */
function isOnRoute({ policy }: ToItem, resource: Resource | undefined, mesh: MeshIndex): boolean {
  const top = policy.targetRef;
  if (!top || !meansRoutes(top.kind)) return true;
  return resource !== undefined && resource.key.type === namedType(top.kind) && means(top, policy, resource, mesh);
}

function isMeant(item: ToItem, destination: Destination, mesh: MeshIndex): boolean {
  const { targetRef: ref } = item;
  if (!isOnRoute(item, destination.resource, mesh)) return false;
  if (ref.kind === 'Mesh') return true;
  if (destination.parent && isMeant(item, destination.parent, mesh)) return true;
  const inSection = ref.sectionName === undefined || (destination.sections ?? []).includes(ref.sectionName);
  // A producer speaks of its own service, which is a resource: a tag of that value may be anybody's.
  const tagged = item.policy.role !== 'producer' && isTagged(ref, destination.tags);
  return inSection && (tagged || isResource(item, destination.resource, mesh));
}

/** The tags by which a reference may mean a service. As the value of a tag it has no namespace. undefined: by none. */
export function serviceTags({ kind, name, namespace, tags }: TargetRef<ToKind>): Labels | undefined {
  if (name === undefined) return undefined;
  switch (kind) {
    case 'MeshService':
      return namespace === undefined ? { [SERVICE_TAG]: name } : undefined;
    case 'MeshServiceSubset':
      return { ...tags, [SERVICE_TAG]: name };
    case 'Mesh':
    case 'MeshMultiZoneService':
    case 'MeshExternalService':
    case 'MeshHTTPRoute':
    case 'MeshTCPRoute':
      return undefined;
  }
}

function isTagged(ref: TargetRef<ToKind>, own: Labels | undefined): boolean {
  const tags = serviceTags(ref);
  return own !== undefined && tags !== undefined && includesAll(own, tags);
}

/**
 * References of `to` read as in this store: the name that the target has here, in the policy's namespace here where
 * none is said.
 */
function isResource({ targetRef: ref, policy }: ToItem, resource: Resource | undefined, mesh: MeshIndex): boolean {
  if (!resource || resource.key.type !== ref.kind || resource.key.mesh !== policy.resource.key.mesh) return false;
  if (ref.labels) return includesAll(labelsOf(resource), ref.labels);
  const name = asText(ref.name);
  const namespace = ref.namespace ?? (findKind(ref.kind)?.systemOnly ? resource.namespace : policy.resource.namespace);
  const found = name === undefined ? undefined : mesh.named(ref.kind, namespace, name);
  return found !== undefined && sameKey(found.key, resource.key);
}
