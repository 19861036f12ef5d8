import { LRUCache } from 'lru-cache';
import { ACCESS_TYPES, type AccessPolicy, readAccessPolicies } from '../../policy/access/access-policies.ts';
import { type BalancingPolicy, readBalancing } from '../../policy/access/balance-sites.ts';
import type { Site } from '../../policy/access/read-resources.ts';
import { decodeLine } from '../../kds/item.ts';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import { LABEL } from '../../resource/labels.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Head, Refusal } from '../../resource/store/store.ts';
import { type PlaneContents, isGlobal, type Plane, touchedSince } from '../plane/plane.ts';
import { knownSites } from './known-sites.ts';

/** What access policies and sites say in one mesh, as this control plane holds them. */
export interface AccessView {
  /** The policies that are in force in a zone, in the order in which they decide. */
  readonly policies: (zone: string) => readonly AccessPolicy[];
  readonly balancing: (zone: string) => readonly BalancingPolicy[];
  readonly sites: ReadonlyMap<string, Site>;
}

/** How many meshes are kept ready. */
const KEPT = 16;

/** What a view is made of. */
const READ: readonly string[] = [...ACCESS_TYPES, 'LoadBalancingPolicy', 'Zone'];

/** Gives the views of meshes: the same object as last time where nothing changed that it is made of. */
export function createAccessViews(plane: Plane): (mesh: string) => AccessView {
  const kept = new LRUCache<string, { readonly at: Head; readonly refused: string; readonly view: AccessView }>({ max: KEPT });
  return (mesh) => {
    const before = kept.get(mesh);
    const [at, refused] = [plane.store.head(), refusedSum(plane)];
    const touched = before && touchedSince(plane, before.at);
    const isSame =
      touched && refused === before.refused && !touched.some((key) => READ.includes(key.type) && (key.mesh === mesh || key.mesh === ''));
    const view = isSame ? before.view : readAccessView(plane, mesh);
    kept.set(mesh, { at, refused, view });
    return view;
  };
}

/** The view of a mesh, read anew. */
function readAccessView(plane: Plane, mesh: string): AccessView {
  const all = (type: string) => plane.store.list({ type, mesh }, 0, Number.MAX_SAFE_INTEGER).items;
  const policies = [...ACCESS_TYPES.flatMap(all), ...refusedPolicies(plane, mesh)];
  const balancing = all('LoadBalancingPolicy');
  return {
    policies: eachOnce((zone) => readAccessPolicies(policies, { mesh, zone })),
    balancing: eachOnce((zone) => readBalancing(balancing, { mesh, zone })),
    sites: knownSites(plane),
  };
}

function eachOnce<T>(make: (zone: string) => T): (zone: string) => T {
  const made = new Map<string, T>();
  return (zone) => {
    const known = made.get(zone) ?? make(zone);
    made.set(zone, known);
    return known;
  };
}

/** A refusal alone makes no revision. */
function refusedSum({ store }: PlaneContents): string {
  return store.mirror
    .refusedPeers()
    .map((peer) => `${peer} ${store.mirror.refusalSum(peer).digest}`)
    .join();
}

/**
 * Refused policies that nothing accepted stands in for, as such that can't be read (docs/design/sync.md#zones-alone):
 * each denies whatever it has a say in, unless it is known to allow.
 */
function refusedPolicies({ place, store }: PlaneContents, mesh: string): Resource[] {
  const refused = store.mirror.refusedPeers().flatMap((peer) => store.mirror.refusals(peer));
  const mine = refused.filter(({ key, inForce }) => key.mesh === mesh && ACCESS_TYPES.includes(key.type) && inForce === 'deny');
  return mine.map((refusal) => standInForPolicy({ place, store }, refusal));
}

/** A refused policy as one that can't be read: it denies whatever it has a say in, unless it is known to allow. */
export function standInForPolicy({ place, store }: PlaneContents, { key, since }: Refusal): Resource {
  const item = decodeLine(store.mirror.get(isGlobal(place) ? key.zone : GLOBAL_PEER, key)?.wire ?? '')?.item;
  const effect = item?.labels[LABEL.effect];
  return {
    key,
    name: key.name,
    namespace: place.systemNamespace,
    labels: effect === undefined ? {} : { [LABEL.effect]: effect },
    spec: item?.spec.action === 'allow' ? { action: 'allow' } : { action: 'deny' },
    creationTime: since,
    modificationTime: since,
  };
}
