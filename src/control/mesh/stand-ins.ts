import { isDeepStrictEqual } from 'node:util';
import { decodeLine, type Item } from '../../kds/item.ts';
import { ACCESS_TYPES } from '../../policy/access/access-policies.ts';
import type { LostResource } from '../../policy/match/mesh-index.ts';
import { isCustom, type Role, ROLES } from '../../policy/policy-role.ts';
import { MESH_TLS } from '../../policy/mesh-tls.ts';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import { keyId } from '../../resource/key.ts';
import { LABEL } from '../../resource/labels.ts';
import { hasKnownFields } from '../../resource/permission.ts';
import type { Resource } from '../../resource/resource.ts';
import type { InForce, Reader, Refusal } from '../../resource/store/store.ts';
import { LEADING } from './mesh-rows.ts';
import { placeOf } from '../peers/known-peers.ts';
import { type PlaneContents, isGlobal } from '../plane/plane.ts';

const PERMISSION = 'MeshTrafficPermission';

/** What stands in for a refused item: its last accepted version, or a deny of all that it selects. */
const STAND_INS: Readonly<Record<InForce, { readonly previous: boolean; readonly denies: boolean }>> = {
  previous: { previous: true, denies: false },
  deny: { previous: false, denies: true },
  none: { previous: false, denies: false },
};

/** Stands for a list that can't be read: the engine must not use what a refused item says. */
const UNREADABLE = 'refused';

/** The refused items of a mesh that matter for access. */
export interface RefusedItems {
  /**
   * The MeshTrafficPermissions that nothing accepted stands in for: what each selects is denied
   * (docs/design/sync.md#zones-alone).
   */
  readonly permissions: readonly Refusal[];
  /**
   * What permissions may target, a route or a service, and nothing accepted stands in for: it may be whatever it is
   * (see asLost).
   */
  readonly targets: readonly Refusal[];
  /** The access policies that nothing accepted stands in for. */
  readonly access: readonly Refusal[];
  /** Whether a refused item may forbid plain text: the version in force may be older. */
  readonly tls: boolean;
}

/** Of all peers. */
export function refusedIn({ store }: PlaneContents, mesh: string): RefusedItems {
  return together(store.mirror.refusedPeers().map((peer) => refusedOf(store.mirror.refusals(peer), mesh)));
}

/**
 * The same, kept: what a peer's refusals add up to tells whether they are others. The same objects as last time where
 * nothing of them changed, though the store has another revision.
 */
export function keepRefused({ store }: PlaneContents, mesh: string): () => RefusedItems {
  let kept = new Map<string, { readonly digest: string; readonly items: RefusedItems }>();
  let all = NOTHING;
  return () => {
    const before = kept;
    const now = store.mirror.refusedPeers().map((peer) => {
      const { digest } = store.mirror.refusalSum(peer);
      const known = before.get(peer);
      if (known?.digest === digest) return [peer, known] as const;
      const items = refusedOf(store.mirror.refusals(peer), mesh);
      return [peer, { digest, items: known ? taken(known.items, items) : items }] as const;
    });
    kept = new Map(now);
    const isSame = now.length === before.size && now.every(([peer, { items }]) => before.get(peer)?.items === items);
    if (!isSame) all = together(now.map(([, { items }]) => items));
    return all;
  };
}

/** What is the same as before is the same object: what stands in for it need not be made again. */
function taken(before: RefusedItems, now: RefusedItems): RefusedItems {
  const known = new Map([...before.permissions, ...before.targets, ...before.access].map((refusal) => [keyId(refusal.key), refusal]));
  const same = (refusal: Refusal): Refusal => {
    const one = known.get(keyId(refusal.key));
    return one && isDeepStrictEqual(one, refusal) ? one : refusal;
  };
  const items = { permissions: now.permissions.map(same), targets: now.targets.map(same), access: now.access.map(same), tls: now.tls };
  return isDeepStrictEqual(before, items) ? before : items;
}

const NOTHING: RefusedItems = { permissions: [], targets: [], access: [], tls: false };

function refusedOf(refusals: readonly Refusal[], mesh: string): RefusedItems {
  const here = refusals.filter(({ key, inForce }) => key.mesh === mesh && !STAND_INS[inForce].previous);
  return {
    permissions: here.filter(({ key, inForce }) => key.type === PERMISSION && STAND_INS[inForce].denies),
    targets: here.filter(({ key }) => LEADING.includes(key.type)),
    access: here.filter(({ key, inForce }) => ACCESS_TYPES.includes(key.type) && STAND_INS[inForce].denies),
    tls: refusals.some(({ key }) => isTlsOf(key, mesh)),
  };
}

function together(all: readonly RefusedItems[]): RefusedItems {
  if (all.length === 0) return NOTHING;
  return {
    permissions: all.flatMap(({ permissions }) => permissions),
    targets: all.flatMap(({ targets }) => targets),
    access: all.flatMap(({ access }) => access),
    tls: all.some(({ tls }) => tls),
  };
}

function isTlsOf({ type, mesh, name }: Refusal['key'], wanted: string): boolean {
  return type === 'Mesh' ? name === wanted : type === MESH_TLS && mesh === wanted;
}

/**
 * A refused permission as a policy that the engine can't read, and which therefore denies what it selects
 * (src/policy/decide). A targetRef that can't be read selects everything that such a policy may touch: its mesh, or a
 * tenant's namespace.
 *
 *   refused, targetRef: Dataplane {labels: {app: web}}, rules: [...]  ->  the same targetRef, lists that can't be read
 */
export function standInForUnreadable(held: PlaneContents, refusal: Refusal): Resource {
  const known = unreadable.get(refusal) ?? makeUnreadable(held, refusal);
  unreadable.set(refusal, known);
  return known;
}

/** What was made for a refusal, which never changes. */
const unreadable = new WeakMap<Refusal, Resource>();
const lost = new WeakMap<Refusal, LostResource>();

function makeUnreadable({ place, store }: PlaneContents, refusal: Refusal): Resource {
  const item = itemOf({ place, store }, refusal);
  const effect = item?.labels[LABEL.effect];
  const labels = effect === undefined ? {} : { [LABEL.effect]: effect };
  const spec = { targetRef: item && hasKnownFields(item.spec) ? item.spec.targetRef : UNREADABLE, default: UNREADABLE };
  return standIn({ place, store }, refusal, item, { labels, spec });
}

/** A refused item that permissions may target, as far as it is known: its key, and its labels if they can be read. */
export function standInForLost(held: PlaneContents, refusal: Refusal): LostResource {
  const known = lost.get(refusal) ?? makeLost(held, refusal);
  lost.set(refusal, known);
  return known;
}

function makeLost(held: PlaneContents, refusal: Refusal): LostResource {
  const item = itemOf(held, refusal);
  return { resource: standIn(held, refusal, item, { labels: item?.labels ?? {}, spec: {} }), labelled: item !== undefined };
}

function itemOf({ place, store }: PlaneContents, { key }: Refusal): Item | undefined {
  return decodeLine(store.mirror.get(isGlobal(place) ? key.zone : GLOBAL_PEER, key)?.wire ?? '')?.item;
}

function standIn(
  { place, store }: PlaneContents,
  refusal: Refusal,
  item: Item | undefined,
  { labels, spec }: Pick<Resource, 'labels' | 'spec'>,
): Resource {
  const { key, since } = refusal;
  const role = isGlobal(place) ? roleAtGlobal(store, refusal) : roleAtZone(item?.assigned?.role);
  return {
    key,
    name: item?.assigned?.name ?? key.name,
    namespace: place.systemNamespace,
    labels: { ...labels, [LABEL.role]: role, [LABEL.displayName]: key.name },
    spec,
    creationTime: since,
    modificationTime: since,
  };
}

/** A tenant's reaches its own namespace, the operators' all of their zone. */
function roleAtGlobal(store: Reader, { key }: Refusal): Role {
  const system = placeOf(store, key.zone)?.systemNamespace;
  return isCustom(key.namespace, system ?? '') ? 'workload-owner' : 'system';
}

/** Global sent it here, so that it is for here, whatever role it has that can't be read. */
function roleAtZone(assigned: string | undefined): Role {
  return ROLES.find((role) => role === assigned) ?? 'producer';
}
