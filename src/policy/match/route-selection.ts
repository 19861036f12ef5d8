import { asArray, asObject, asText, isAbsent } from '../../naming/json.ts';
import type { Key } from '../../resource/key.ts';
import { LABEL, type Labels } from '../../resource/labels.ts';
import type { JsonObject, JsonValue, Resource } from '../../resource/resource.ts';
import { type RouteMatch, readMatches } from '../../resource/route-match.ts';
import { kindAt, meansRoutes, namedType, type TargetRef, TO, type ToKind, type TopKind } from '../../resource/schema/reference-kinds.ts';
import { targetsOf, type MeshIndex } from './mesh-index.ts';
import type { Policy } from './policy.ts';
import type { Inbound, Proxy } from './read-proxy.ts';
import { serviceSelects } from './service-selector.ts';
import { includesAll, labelsOf, SERVICE_TAG, textsOf } from './proxy-tags.ts';

/** A route through which a policy applies to an inbound. */
export interface ViaRoute {
  readonly route: Key;
  /** The `matches` of the rules that lead to the inbound, one of which a request must meet. */
  readonly matches: readonly RouteMatch[];
  /**
   * Whether a request can be told to come this way. If not (a TCP route, one that strangers made, one for some hosts),
   * it counts for denies alone.
   */
  readonly certain: boolean;
  /** What isn't here, so that it can't be told (see src/policy/match/lost-policies.ts). */
  readonly lost?: Key;
}

/**
 * The routes that a policy targets and that lead to the inbound (docs/design/access.md#routes). `MeshGatewayRoute` is a
 * MeshHTTPRoute on a MeshGateway, and means the gateway's listener; any other route means the services that it sends
 * requests to.
 *
 * By labels a policy means no route of another tenant than the proxy's: with labels of its choice, on a route to
 * somebody else's service, anybody could draw policies there. By name its author has chosen it.
 *
 *   route r, to: backend, rules: [{matches: [/v2], default: {backendRefs: [backend-v2]}}]
 *     ->  for an inbound of backend-v2: r, [/v2]
 */
export function routesTo(ref: TargetRef<TopKind>, policy: Policy, proxy: Proxy, inbound: Inbound, mesh: MeshIndex): ViaRoute[] {
  return routesMeant(ref, policy, proxy, mesh).flatMap((route) => {
    const onGateway = ref.kind === 'MeshGatewayRoute';
    const rules = onGateway
      ? rulesOnGateway(route, inbound, mesh)
      : rulesLeadingTo(route, (to) => leadsTo(to, route, proxy, inbound, mesh));
    const matches = rules.flatMap(matchesOf);
    const certain = route.key.type === 'MeshHTTPRoute' && !isStrange(route, proxy) && !hasHostnames(route);
    return matches.length === 0 ? [] : [{ route: route.key, matches, certain }];
  });
}

/** The routes that a policy names, whoever made them. */
export function routesNamed(ref: TargetRef<TopKind>, policy: Policy, mesh: MeshIndex): Resource[] {
  const type = namedType(ref.kind);
  if (type === undefined || !meansRoutes(ref.kind)) return [];
  return targetsOf(type, ref, policy, mesh);
}

/** The routes that a policy targets, wherever they lead. */
export function routesMeant(ref: TargetRef<TopKind>, policy: Policy, proxy: Proxy, mesh: MeshIndex): Resource[] {
  const routes = routesNamed(ref, policy, mesh);
  return routes.filter((route) => ref.labels === undefined || !isStrange(route, proxy));
}

export function matchesOf(rule: JsonObject): RouteMatch[] {
  return readMatches(rule.matches);
}

/** `Host` decides nothing, so that it can't be told whether a request comes through a route for some hosts. */
function hasHostnames({ spec }: Resource): boolean {
  return asArray(spec.to).some((item) => !isAbsent(asObject(item)?.hostnames));
}

/** A route of another custom namespace: its maker must not open anything here, nor close. */
export function isStrange({ key, labels }: Resource, { dataplane }: Proxy): boolean {
  if (key.namespace === '' || labels[LABEL.role] === 'system') return false;
  return key.zone !== dataplane.key.zone || key.namespace !== dataplane.key.namespace;
}

function rulesOnGateway(route: Resource, { gateway }: Inbound, mesh: MeshIndex): JsonObject[] {
  const target = asObject(route.spec.targetRef);
  const name = asText(target?.name);
  if (!gateway || target?.kind !== 'MeshGateway' || name === undefined) return [];
  const own = { ...gateway, zone: route.key.zone, namespace: '', name };
  const meant = mesh.find(own) ?? mesh.named('MeshGateway', '', name);
  if (meant?.key.name !== gateway.name || meant.key.zone !== gateway.zone) return [];
  return asArray(route.spec.to).flatMap((item) => rulesOf(asObject(item)));
}

/** Of an item of a route's `to`. */
export function rulesOf(item: JsonObject | undefined): JsonObject[] {
  return asArray(item?.rules)
    .map(asObject)
    .filter((rule) => rule !== undefined);
}

/** Requests go to a rule's backends; where it names none, to what the route is about. */
export function rulesLeadingTo(route: Resource, leads: (backend: JsonValue | undefined) => boolean): JsonObject[] {
  return asArray(route.spec.to).flatMap((value) => {
    const item = asObject(value);
    return rulesOf(item).filter((rule) => {
      const backends = asArray(asObject(rule.default)?.backendRefs);
      return (backends.length > 0 ? backends : [item?.targetRef]).some(leads);
    });
  });
}

/** Whether a backend of a route is the inbound, or one of those that it may be. */
export function leadsTo(value: JsonValue | undefined, route: Resource, proxy: Proxy, inbound: Inbound, mesh: MeshIndex): boolean {
  const ref = asObject(value) ?? {};
  const kind = kindAt(TO, ref.kind);
  const tagged = ref.name !== undefined && inbound.tags[SERVICE_TAG] === ref.name;
  const section = asText(ref.sectionName) ?? (typeof ref.port === 'number' ? String(ref.port) : undefined);
  const leads = (service: Resource) => serviceSelects(service, proxy, inbound, section);
  switch (kind) {
    case 'MeshServiceSubset':
      return tagged && includesAll(inbound.tags, textsOf(ref.tags));
    case 'MeshService':
      return (tagged && ref.namespace === undefined) || servicesNamed(kind, ref, route, mesh).some(leads);
    case 'MeshMultiZoneService':
      return servicesLedTo(ref, route, mesh).some(leads);
    // Leads to no proxy that is named; or is no kind of reference, which was refused when it was written.
    case 'Mesh':
    case 'MeshExternalService':
    case 'MeshHTTPRoute':
    case 'MeshTCPRoute':
    case undefined:
      return false;
  }
}

/** The MeshServices that a backend of a route leads to. */
export function servicesLedTo(ref: JsonObject, route: Resource, mesh: MeshIndex): Resource[] {
  const kind = kindAt(TO, ref.kind);
  if (kind === 'MeshService') return servicesNamed(kind, ref, route, mesh);
  if (kind !== 'MeshMultiZoneService') return [];
  return servicesNamed(kind, ref, route, mesh).flatMap((multi) => servicesOfMultiZone(multi, mesh));
}

/** The services that a reference means, by the names that they have in this store. */
function servicesNamed(kind: ToKind, ref: JsonObject, route: Resource, mesh: MeshIndex): Resource[] {
  const name = asText(ref.name);
  const byName = name === undefined ? undefined : mesh.named(kind, asText(ref.namespace) ?? route.namespace, name);
  return byName ? [byName] : carrying(kind, textsOf(ref.labels), mesh);
}

function servicesOfMultiZone({ spec }: Resource, mesh: MeshIndex): Resource[] {
  const wanted = textsOf(asObject(asObject(asObject(spec.selector)?.meshService))?.matchLabels);
  return carrying('MeshService', wanted, mesh);
}

/** Those that have all of these labels; no labels select nothing here. */
function carrying(type: string, labels: Labels, mesh: MeshIndex): Resource[] {
  if (Object.keys(labels).length === 0) return [];
  return [...mesh.targets(type).carrying(labels)].filter((found) => includesAll(labelsOf(found), labels));
}
