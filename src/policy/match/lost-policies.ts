import { hashedName, looksHashed } from '../../naming/hash-name.ts';
import { asObject, asText } from '../../naming/json.ts';
import type { Key } from '../../resource/key.ts';
import { mtpOf } from '../../resource/permission.ts';
import { mayDeny } from '../../resource/permission-actions.ts';
import type { JsonValue, Resource } from '../../resource/resource.ts';
import { EVERY_REQUEST } from '../../resource/route-match.ts';
import type { TargetRef } from '../../resource/schema/target-ref.ts';
import { type Lost, type MeshIndex, means } from './mesh-index.ts';
import type { Policy } from './policy.ts';
import type { Proxy } from './read-proxy.ts';
import { isRouteRef, isStrange, matchesOf, routesMeant, routeType, rulesLeadingTo, type Via } from './route-selection.ts';
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
export function lostTo(ref: TargetRef, policy: Policy, proxy: Proxy, mesh: MeshIndex): Via[] {
  const refused = mesh.lost(routeType(ref)).filter((lost) => isTargeted(lost, ref, policy, mesh));
  const lost = refused.map(({ resource }) => resource);
  if (ref.kind === 'MeshService') return lost.filter((service) => isAtHome(service, proxy)).map(({ key }) => anyRequest(key));
  if (!isRouteRef(ref)) return [];
  const routes = routesMeant(ref, policy, proxy, mesh);
  if (lost.length + routes.length === 0) return missing(ref, policy);
  const through = lost.filter((route) => ref.labels === undefined || !isStrange(route, proxy));
  return [...through.map(({ key }) => anyRequest(key)), ...routes.flatMap((route) => beyond(route, proxy, mesh))];
}

function anyRequest(key: Key): Via {
  return { route: key, matches: [EVERY_REQUEST], certain: false, lost: key };
}

/** What can't be read has any labels. */
function isTargeted({ resource, labelled }: Lost, ref: TargetRef, policy: Policy, mesh: MeshIndex): boolean {
  return (!labelled && ref.labels !== undefined) || means(ref, policy, resource, mesh);
}

/** A service selects proxies of its own zone and namespace only. */
function isAtHome({ key }: Resource, { dataplane }: Proxy): boolean {
  return key.zone === dataplane.key.zone && key.namespace === dataplane.key.namespace;
}

/** The route that a permission with denies names, and that is not here. The caller knows that. */
export function missing({ kind, name, namespace }: TargetRef, policy: Policy): Via[] {
  const { key, spec } = policy.resource;
  if (name === undefined || (policy.role === 'system' && looksHashed(name)) || !mayDeny(mtpOf(spec))) return [];
  const type = routeType({ kind });
  return [anyRequest({ ...key, type, namespace: namespace ?? key.namespace, name })];
}

/**
 * The rules of a route that may send requests to services which were refused, and so, for all that is known, to this
 * proxy.
 */
function beyond(route: Resource, proxy: Proxy, mesh: MeshIndex): Via[] {
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
  const kind = asText(ref.kind);
  if (kind !== 'MeshService' && kind !== 'MeshMultiZoneService') return [];
  const name = asText(ref.name);
  const lost = mesh.lost(kind).filter(({ resource, labelled }) => {
    if (name !== undefined) return [resource.name, resource.key.name, hashedName(resource.key)].includes(name);
    return !labelled || includesAll(labelsOf(resource), textsOf(ref.labels));
  });
  return lost.map(({ resource }) => resource).filter((service) => kind === 'MeshMultiZoneService' || isAtHome(service, proxy));
}
