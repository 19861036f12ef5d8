import { type AccessPolicy, readAccessPolicies, readAccessPolicy } from '../../policy/access/access-policies.ts';
import { type Attributes, sourceAttributes } from '../../policy/access/attributes.ts';
import { readWorkload, type Site } from '../../policy/access/read-resources.ts';
import { destinationsOf } from '../../policy/callers/called-services.ts';
import { spiffeIdOfDataplane } from '../../policy/callers/caller-identity.ts';
import { CallerMatrix } from '../../policy/callers/caller-matrix.ts';
import { type CallerMap, type CallerVerdicts, callerVerdicts, type KnownCallers, maySelect } from '../../policy/callers/caller-verdicts.ts';
import type { MeshIndex } from '../../policy/match/mesh-index.ts';
import type { Inbound, Proxy } from '../../policy/match/read-proxy.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Parts } from '../../resource/store/parts.ts';

/** What access policies of a mesh are made of, as this control plane holds them. */
export interface MeshAccess {
  /** Those that are in force in a zone, in the order in which they decide; refused ones as such that can't be read. */
  policies(zone: string): readonly AccessPolicy[];
  /** Reads in steps what `policies` would read at once. */
  prepare(): Parts<void>;
  /** The attributes of a zone as a site; undefined: nothing is known of it. */
  site(zone: string): Attributes | undefined;
}

/** What a MeshAccess is made of: it is kept as long as all of it is the same. */
export interface AccessParts {
  readonly mesh: string;
  /** The lists of each kind, and what stands in for what was refused. */
  readonly lists: readonly (readonly Resource[])[];
  readonly sites: ReadonlyMap<string, Site>;
}

/** How many policies are read in a step. */
const A_STEP = 50;

export function accessOf({ mesh, lists, sites }: AccessParts): MeshAccess {
  const known = new Map<string, readonly AccessPolicy[]>();
  return {
    policies: (zone) => {
      const policies = known.get(zone) ?? readAccessPolicies(lists.flat(), { mesh, zone });
      known.set(zone, policies);
      return policies;
    },
    *prepare() {
      for (const [index, policy] of lists.flat().entries()) {
        readAccessPolicy(policy);
        if (index % A_STEP === 0) yield;
      }
    },
    site: (zone) => sites.get(zone)?.attributes,
  };
}

export function isSameAccess(one: AccessParts, other: AccessParts): boolean {
  return (
    one.sites === other.sites && one.lists.length === other.lists.length && one.lists.every((list, index) => list === other.lists[index])
  );
}

/** What is asked of a view of the mesh. */
interface AccessAskedOf {
  readonly access: MeshAccess;
  readonly dataplanes: readonly Resource[];
  readonly index: MeshIndex;
}

/**
 * What access policies decide at an inbound, for who is asked about (docs/design/attributes.md#in-envoy): callers are
 * the Dataplanes of its zone. undefined: none selects it.
 */
export function callersAt({ access, dataplanes, index }: AccessAskedOf, proxy: Proxy, inbound: Inbound): CallerVerdicts | undefined {
  const { zone } = proxy.dataplane.key;
  const policies = access.policies(zone);
  if (policies.length === 0) return undefined;
  const site = access.site(zone);
  return callerVerdicts(policies, destinationsOf(proxy, inbound, index, site), callersOf(dataplanes, zone, site));
}

/** Those that select an inbound: what they decide there is enforced, but for those that are shown alone. */
export function policiesAt({ access, index }: AccessAskedOf, proxy: Proxy, inbound: Inbound): AccessPolicy[] {
  const { zone } = proxy.dataplane.key;
  const policies = access.policies(zone).filter(({ shadow }) => !shadow);
  if (policies.length === 0) return [];
  const destinations = destinationsOf(proxy, inbound, index, access.site(zone));
  return policies.filter((policy) => destinations.some((destination) => maySelect(policy, destination)));
}

/** What access policies decide at any inbound, about all callers of its zone. */
export interface CallersEverywhere {
  /** By zone. */
  readonly matrices: ReadonlyMap<string, CallerMatrix>;
  at(proxy: Proxy, inbound: Inbound): CallerMap | undefined;
  /** Equal for two proxies about which access policies decide the same everywhere; '' where there are none. */
  classOf(dataplane: Resource): string;
}

/**
 * `callersAt` for whoever asks about many callers: all of them are decided about at once, for each zone in steps.
 * `before`: what is decided as it was there is the same object.
 */
export function* callersEverywhere({ access, dataplanes, index }: AccessAskedOf, before?: CallersEverywhere): Parts<CallersEverywhere> {
  const matrices = new Map<string, CallerMatrix>();
  yield* access.prepare();
  for (const zone of new Set(dataplanes.map(({ key }) => key.zone))) {
    const policies = access.policies(zone);
    if (policies.length === 0) continue;
    const own = dataplanes.filter(({ key }) => key.zone === zone);
    matrices.set(zone, yield* CallerMatrix.build({ policies, dataplanes: own, site: access.site(zone) }, before?.matrices.get(zone)));
  }
  return {
    matrices,
    at: (proxy, inbound) => {
      const { zone } = proxy.dataplane.key;
      return matrices.get(zone)?.at(destinationsOf(proxy, inbound, index, access.site(zone)));
    },
    classOf: (dataplane) => {
      const { zone } = dataplane.key;
      const matrix = matrices.get(zone);
      return matrix ? JSON.stringify([zone, matrix.classOf(spiffeIdOfDataplane(dataplane) ?? '')]) : '';
    },
  };
}

/** The callers of each zone among Dataplanes, by identity. */
const known = new WeakMap<readonly Resource[], Map<string, ReadonlyMap<string, readonly Resource[]>>>();

function callersOf(dataplanes: readonly Resource[], zone: string, site: Attributes | undefined): KnownCallers {
  const zones = known.get(dataplanes) ?? new Map<string, ReadonlyMap<string, readonly Resource[]>>();
  known.set(dataplanes, zones);
  const callers = zones.get(zone) ?? byIdentity(dataplanes.filter(({ key }) => key.zone === zone));
  zones.set(zone, callers);
  return { size: callers.size, with: (id) => (callers.get(id) ?? []).map((one) => sourceAttributes(readWorkload(one), site)) };
}

function byIdentity(dataplanes: readonly Resource[]): ReadonlyMap<string, readonly Resource[]> {
  const callers = new Map<string, Resource[]>();
  for (const dataplane of dataplanes) {
    const id = spiffeIdOfDataplane(dataplane);
    if (id === undefined) continue;
    const sharing = callers.get(id);
    if (sharing) sharing.push(dataplane);
    else callers.set(id, [dataplane]);
  }
  return callers;
}
