import { hashedName, looksHashed } from '../../naming/hash-name.ts';
import { asObject, asText } from '../../naming/json.ts';
import type { Key } from '../../resource/key.ts';
import { mtpOf } from '../../resource/permission.ts';
import { mayDeny } from '../../resource/permission-actions.ts';
import type { JsonObject, JsonValue, Resource } from '../../resource/resource.ts';
import { EVERY_REQUEST } from '../../resource/route-match.ts';
import { kindAt, meansRoutes, namedType, TO, type TargetRef, type TopKind } from '../../resource/schema/reference-kinds.ts';
import { type LostResource, type MeshIndex, means } from './mesh-index.ts';
import type { Policy } from './policy.ts';
import type { Proxy } from './read-proxy.ts';
import { isStrange, matchesOf, routesMeant, rulesLeadingTo, type ViaRoute } from './route-selection.ts';
import { includesAll, labelsOf, textsOf } from './proxy-tags.ts';

/**
 * How a permission may be meant for a proxy's requests, though it can't be told, for what it targets was refused here
 * or is not here at all. Its denies then count, its allows don't: a deny is not lost with what it hangs on.
 *
 *   route r was refused here                       ->  any request may come through it
 *   route r leads to a service that was refused    ->  any request that meets those matches of r
 *   route r is not here, and the permission denies ->  any request; if it doesn't, it selects nothing, as with Kuma
 *
 * Labels select what is there, refused or not. A name that looks hashed is that of a copy: one that isn't here may not
 * be for here.
 */
export function lostTo(ref: TargetRef<TopKind>, policy: Policy, proxy: Proxy, mesh: MeshIndex): ViaRoute[] {
  switch (ref.kind) {
    case 'MeshService':
      return refusedOf(ref, policy, mesh).flatMap((service) => (isAtHome(service, proxy) ? [anyRequest(service.key)] : []));
    case 'MeshHTTPRoute':
    case 'MeshTCPRoute':
    case 'MeshGatewayRoute':
      return throughLost(ref, policy, proxy, mesh);
    // Proxies and gateways that are not here have no requests here.
    case 'Mesh':
    case 'MeshSubset':
    case 'MeshServiceSubset':
    case 'MeshGateway':
    case 'Dataplane':
      return [];
  }
}

/** What a reference means of what was refused here. */
function refusedOf(ref: TargetRef<TopKind>, policy: Policy, mesh: MeshIndex): Resource[] {
  const type = namedType(ref.kind);
  const refused = type === undefined ? [] : mesh.lost(type);
  return refused.filter((lost) => isTargeted(lost, ref, policy, mesh)).map(({ resource }) => resource);
}

function throughLost(ref: TargetRef<TopKind>, policy: Policy, proxy: Proxy, mesh: MeshIndex): ViaRoute[] {
  const lost = refusedOf(ref, policy, mesh);
  const routes = routesMeant(ref, policy, proxy, mesh);
  if (lost.length + routes.length === 0) return missing(ref, policy);
  const through = lost.filter((route) => ref.labels === undefined || !isStrange(route, proxy));
  return [...through.map(({ key }) => anyRequest(key)), ...routes.flatMap((route) => beyond(route, proxy, mesh))];
}

function anyRequest(key: Key): ViaRoute {
  return { route: key, matches: [EVERY_REQUEST], certain: false, lost: key };
}

/** What can't be read has any labels. */
function isTargeted({ resource, labelled }: LostResource, ref: TargetRef, policy: Policy, mesh: MeshIndex): boolean {
  return (!labelled && ref.labels !== undefined) || means(ref, policy, resource, mesh);
}

/** A service selects proxies of its own zone and namespace only. */
function isAtHome({ key }: Resource, { dataplane }: Proxy): boolean {
  return key.zone === dataplane.key.zone && key.namespace === dataplane.key.namespace;
}

/** The route that a permission with denies names, and that is not here. The caller knows that. */
export function missing({ kind, name, namespace }: TargetRef<TopKind>, policy: Policy): ViaRoute[] {
  const { key, spec } = policy.resource;
  const type = namedType(kind);
  if (!meansRoutes(kind) || type === undefined || name === undefined) return [];
  if ((policy.role === 'system' && looksHashed(name)) || !mayDeny(mtpOf(spec))) return [];
  return [anyRequest({ ...key, type, namespace: namespace ?? key.namespace, name })];
}

/**
 * The rules of a route that may send requests to services which were refused, and so, for all that is known, to this
 * proxy.
 */
function beyond(route: Resource, proxy: Proxy, mesh: MeshIndex): ViaRoute[] {
  const found: Key[] = [];
  const rules = rulesLeadingTo(route, (value) => {
    const services = servicesLost(value, proxy, mesh);
    found.push(...services.map(({ key }) => key));
    return services.length > 0;
  });
  const [lost] = found;
  return lost ? [{ route: route.key, matches: rules.flatMap(matchesOf), certain: false, lost }] : [];
}

/** A name may be the origin's, or that of a copy. */
function servicesLost(value: JsonValue | undefined, proxy: Proxy, mesh: MeshIndex): Resource[] {
  const ref = asObject(value) ?? {};
  const kind = kindAt(TO, ref.kind);
  switch (kind) {
    case 'MeshService':
      return lostServices(kind, ref, mesh).filter((service) => isAtHome(service, proxy));
    case 'MeshMultiZoneService':
      return lostServices(kind, ref, mesh);
    case 'Mesh':
    case 'MeshServiceSubset':
    case 'MeshExternalService':
    case 'MeshHTTPRoute':
    case 'MeshTCPRoute':
    case undefined:
      return [];
  }
}

function lostServices(kind: string, ref: JsonObject, mesh: MeshIndex): Resource[] {
  const name = asText(ref.name);
  const lost = mesh.lost(kind).filter(({ resource, labelled }) => {
    if (name !== undefined) return [resource.name, resource.key.name, hashedName(resource.key)].includes(name);
    return !labelled || includesAll(labelsOf(resource), textsOf(ref.labels));
  });
  return lost.map(({ resource }) => resource);
}
