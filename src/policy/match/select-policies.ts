import { asArray, asObject } from '../../naming/json.ts';
import type { TargetRef, TopKind } from '../../resource/schema/reference-kinds.ts';
import { lostTo } from './lost-policies.ts';
import { mayMean, type MeshIndex, means } from './mesh-index.ts';
import { mayTouch, readPolicy } from './read-policies.ts';
import type { Policy } from './policy.ts';
import { type Inbound, isSection, type Proxy } from './read-proxy.ts';
import { matchesOf, routesNamed, routesTo, rulesOf, type ViaRoute } from './route-selection.ts';
import { asksOf, serviceSelects } from './service-selector.ts';
import { includesAll, SERVICE_TAG } from './proxy-tags.ts';

/** A policy that selects an inbound. */
export interface SelectingPolicy {
  readonly policy: Policy;
  /** Only through these routes; undefined: wholly. */
  readonly via?: readonly ViaRoute[];
}

/** The policies that select an inbound of the proxy, in the order that they were given in (see readPolicies). */
export function matchInbound(policies: readonly Policy[], proxy: Proxy, inbound: Inbound, mesh: MeshIndex): SelectingPolicy[] {
  return policies.flatMap((policy) => matchOne(policy, proxy, inbound, mesh) ?? []);
}

/** The policies that select the proxy by any of its inbounds: for outgoing traffic and for the proxy as a whole. */
export function matchProxy(policies: readonly Policy[], proxy: Proxy, mesh: MeshIndex): Policy[] {
  return policies.filter((policy) => proxy.inbounds.some((inbound) => matchOne(policy, proxy, inbound, mesh)));
}

function matchOne(policy: Policy, proxy: Proxy, inbound: Inbound, mesh: MeshIndex): SelectingPolicy | undefined {
  const ref = policy.explicit;
  if (!mayTouch(policy, proxy.dataplane)) return undefined;
  // What can't be read may hold denies: a permission is then one for everything that it may touch (see
  // src/policy/decide).
  const isPermission = policy.resource.key.type === 'MeshTrafficPermission';
  if (!ref) return isPermission ? { policy } : undefined;
  if (selects(ref, policy, proxy, inbound, mesh)) return { policy };
  const known = routesOf(ref, policy, proxy, inbound, mesh);
  const via = isPermission ? [...known, ...lostTo(ref, policy, proxy, mesh)] : known;
  return via.length > 0 ? { policy, via } : undefined;
}

/**
 * What is said of outgoing traffic is for those who send it through the route, everything else for those whom the route
 * leads to.
 */
function routesOf(ref: TargetRef<TopKind>, policy: Policy, proxy: Proxy, inbound: Inbound, mesh: MeshIndex): ViaRoute[] {
  if (asArray(policy.resource.spec.to).length === 0) return routesTo(ref, policy, proxy, inbound, mesh);
  return routesNamed(ref, policy, mesh)
    .map(readPolicy)
    .flatMap((route) => {
      if (!sendsThrough(route, ref, proxy, inbound, mesh)) return [];
      const { key, spec } = route.resource;
      const matches = asArray(spec.to).flatMap((item) => rulesOf(asObject(item)).flatMap(matchesOf));
      return [{ route: key, matches, certain: key.type === 'MeshHTTPRoute' }];
    });
}

/** Whether the route is one of the proxy's: its own targetRef selects it. */
function sendsThrough(route: Policy, ref: TargetRef<TopKind>, proxy: Proxy, inbound: Inbound, mesh: MeshIndex): boolean {
  const own = route.explicit;
  if (!own || (ref.kind === 'MeshGatewayRoute' && own.kind !== 'MeshGateway')) return false;
  return mayTouch(route, proxy.dataplane) && selects(own, route, proxy, inbound, mesh);
}

/**
 * Whether a top-level targetRef selects an inbound, in its explicit form (docs/design/matching.md#selecting).
 *
 *   MeshSubset {tags: {env: prod}}                         the inbounds with that tag
 *   MeshService {name: backend}                            the inbounds tagged so, and those that this service selects
 *   Dataplane {labels: {app: web}, sectionName: admin}     of the proxies with that label the inbound called `admin`
 */
function selects(ref: TargetRef<TopKind>, policy: Policy, proxy: Proxy, inbound: Inbound, mesh: MeshIndex): boolean {
  const { tags } = inbound;
  if (ref.proxyTypes && !ref.proxyTypes.includes(proxy.type)) return false;
  switch (ref.kind) {
    case 'Mesh':
      return true;
    case 'MeshSubset':
      return includesAll(tags, ref.tags ?? {});
    case 'MeshServiceSubset':
      return tags[SERVICE_TAG] === ref.name && includesAll(tags, ref.tags ?? {});
    case 'MeshService':
      return isTagged(ref, inbound) || isServed(ref, policy, proxy, inbound, mesh);
    case 'MeshGateway':
      return isListener(ref, policy, inbound, mesh) && includesAll(tags, ref.tags ?? {});
    case 'Dataplane':
      return isDataplane(ref, policy, proxy, mesh) && (ref.sectionName === undefined || isSection(inbound, ref.sectionName));
    // A route selects no inbound: requests come through it (see routesOf).
    case 'MeshHTTPRoute':
    case 'MeshTCPRoute':
    case 'MeshGatewayRoute':
      return false;
  }
}

/** A service as the value of a tag has no namespace; its section is the inbound's. */
function isTagged({ name, namespace, sectionName }: TargetRef<TopKind>, inbound: Inbound): boolean {
  if (name === undefined || namespace !== undefined || inbound.tags[SERVICE_TAG] !== name) return false;
  return sectionName === undefined || isSection(inbound, sectionName);
}

function isServed(ref: TargetRef<TopKind>, policy: Policy, proxy: Proxy, inbound: Inbound, mesh: MeshIndex): boolean {
  const type = 'MeshService';
  const selecting = mesh.targets(type).selecting(asksOf(proxy, inbound));
  const carrying = ref.labels && mesh.targets(type).carrying(ref.labels);
  const few = carrying && carrying.size > selecting.size ? selecting : mayMean(type, ref, mesh);
  for (const service of few) if (means(ref, policy, service, mesh) && serviceSelects(service, proxy, inbound, ref.sectionName)) return true;
  return false;
}

function isListener(ref: TargetRef<TopKind>, policy: Policy, { gateway }: Inbound, mesh: MeshIndex): boolean {
  const found = gateway && mesh.find(gateway);
  return found !== undefined && means(ref, policy, found, mesh);
}

function isDataplane(ref: TargetRef<TopKind>, policy: Policy, { dataplane }: Proxy, mesh: MeshIndex): boolean {
  if (ref.name === undefined && ref.labels === undefined) return true;
  return means(ref, policy, dataplane, mesh);
}
