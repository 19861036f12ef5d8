import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { LostResource, MeshIndex } from '../../policy/match/mesh-index.ts';
import { comparePolicies } from '../../policy/match/policy-order.ts';
import { readPolicies } from '../../policy/match/read-policies.ts';
import type { Policy } from '../../policy/match/policy.ts';
import { ACCESS_TYPES } from '../../policy/access/access-policies.ts';
import type { Site } from '../../policy/access/read-resources.ts';
import { MESH_TLS } from '../../policy/mesh-tls.ts';
import { type Key, keyId } from '../../resource/key.ts';
import { findKind } from '../../resource/kinds.ts';
import type { Resource } from '../../resource/resource.ts';
import { atOnce, type Parts } from '../../resource/store/parts.ts';
import type { Head } from '../../resource/store/store.ts';
import { standInForPolicy } from '../access/access-view.ts';
import { knownSites } from '../access/known-sites.ts';
import { accessOf, type AccessParts, isSameAccess, type MeshAccess } from './mesh-access.ts';
import { MeshRows } from './mesh-rows.ts';
import { inTurns } from '../plane/in-turns.ts';
import { type PlaneContents, type Plane, touchedSince } from '../plane/plane.ts';
import { keepRefused, standInForLost, standInForUnreadable, type RefusedItems, refusedIn } from './stand-ins.ts';

/** What the policy engine needs to know of one mesh, from this control plane's store. */
export interface MeshView {
  readonly mesh: string;
  readonly dataplanes: readonly Resource[];
  /** In order, the most specific last; refused permissions are among them, as such that can't be read. */
  readonly policies: readonly Policy[];
  readonly permissions: readonly Policy[];
  /** What says whether plain text is taken (src/policy/mesh-tls.ts). `refused`: some of it was refused here. */
  readonly tls: { readonly policies: readonly Policy[]; readonly mesh: Resource | undefined; readonly refused: boolean };
  /** Whom listeners of gateways trust (src/policy/gateway/trusted-domains.ts). */
  readonly trusts: readonly Resource[];
  /** What access policies say: the same object as before where nothing of it changed. */
  readonly access: MeshAccess;
  readonly index: MeshIndex;
  /**
   * What targetRefs may lead to, but Dataplanes, and what of that was refused: the same lists as before where nothing
   * of it changed. In a zone, what selects a proxy depends on no other Dataplane: none is a copy there.
   */
  readonly targets: readonly (readonly unknown[])[];
  /** One of the policies, with a refused one as it can be told. */
  find(key: Key): Resource | undefined;
  /** Why a policy, or what it may target, was refused here, if nothing accepted stands in for it. */
  refusal(key: Key): string | undefined;
}

/** How often it is begun anew because too much changed meanwhile. */
const ATTEMPTS = 3;

/** How many meshes are kept ready. */
const KEPT = 4;

/** Whether resources of a kind may change what proxies decide. */
export function mayDecide(type: string): boolean {
  return findKind(type)?.decides === true;
}

/** Gives the view of a mesh as it is when the promise resolves. Rejects with what the store throws. */
export type MeshViews = (mesh: string) => Promise<MeshView>;

/**
 * Gives the views of meshes. Only what changed in the store is made again, so a request costs only what it asks for. A
 * mesh that must be read whole is read in turns, once for all who ask meanwhile.
 */
export function createMeshViews(plane: Plane, turns: typeof inTurns = inTurns): MeshViews {
  const kept = new LRUCache<string, { readonly reader: MeshReader; reading: Promise<void> | undefined }>({ max: KEPT });
  return async (mesh) => {
    const one = kept.get(mesh) ?? { reader: new MeshReader(plane, mesh), reading: undefined };
    kept.set(mesh, one);
    one.reading ??= turns('view', one.reader.prepare()).finally(() => (one.reading = undefined));
    await one.reading;
    return one.reader.view();
  };
}

/** The view of a mesh, read anew, in steps: of a plane, or of what a transaction has written so far. */
export function* readMeshView(held: PlaneContents, mesh: string): Parts<MeshView> {
  const rows = yield* MeshRows.read(held.store, mesh);
  return viewOf(held, mesh, rows, readBeside(held, mesh), refusedIn(held, mesh));
}

/** The view of one mesh, kept in step with the store. */
export class MeshReader {
  private readonly plane: Plane;
  private readonly mesh: string;

  #rows: MeshRows | undefined;
  #beside: BesideRows | undefined;
  #access: AccessState | undefined;
  #at: Head | undefined;
  /** A refusal alone makes no revision. */
  readonly #readRefused: () => RefusedItems;
  #refused: RefusedItems | undefined;
  #view: MeshView | undefined;

  constructor(plane: Plane, mesh: string) {
    this.plane = plane;
    this.mesh = mesh;
    this.#readRefused = keepRefused(plane, mesh);
  }

  /** The same object as last time if nothing of the mesh changed. */
  view(): MeshView {
    const { plane, mesh } = this;
    const refused = this.#readRefused();
    const [rows, changed] = this.#read();
    if (this.#view && !changed && refused === this.#refused) return this.#view;
    this.#refused = refused;
    const beside = this.#beside ?? readBeside(plane, mesh);
    this.#access = accessIn(plane, mesh, rows, beside, refused, this.#access);
    this.#view = viewOf(plane, mesh, rows, beside, refused, this.#access.access);
    return this.#view;
  }

  /** Reads in steps what `view` would read at once: all that there is, where it isn't known what changed. */
  *prepare(): Parts<void> {
    const { plane, mesh } = this;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (this.#rows && this.#at && touchedSince(plane, this.#at)) return;
      const head = plane.store.head();
      const rows = yield* MeshRows.read(plane.store, mesh);
      if (!touchedSince(plane, head)) continue;
      // What was written meanwhile, `view` reads. A Mesh that was is read now.
      [this.#rows, this.#at, this.#beside, this.#view] = [rows, head, readBeside(plane, mesh), undefined];
      return;
    }
  }

  /** Out: the rows as they are now, and whether something is another. */
  #read(): [MeshRows, boolean] {
    const { plane, mesh } = this;
    const head = plane.store.head();
    const keys = this.#at && touchedSince(plane, this.#at);
    // If reading fails, everything is read the next time.
    this.#at = undefined;
    const rows = keys && this.#rows ? this.#rows : atOnce(MeshRows.read(plane.store, mesh));
    const isBeside = !keys || keys.some((key) => key.type === 'Zone' || (key.type === 'Mesh' && key.name === mesh) || isTrustOf(key, mesh));
    if (isBeside) this.#beside = readBeside(plane, mesh);
    const changed = rows !== this.#rows || rows.update(keys ?? [], plane.place.zone) || isBeside;
    this.#rows = rows;
    this.#at = head;
    return [rows, changed];
  }
}

function meshOf({ store }: PlaneContents, mesh: string): Resource | undefined {
  return store.get({ type: 'Mesh', mesh: '', zone: '', namespace: '', name: mesh })?.resource;
}

/** What a view is made of beside its rows. */
interface BesideRows {
  readonly mesh: Resource | undefined;
  readonly trusts: readonly Resource[];
  readonly sites: ReadonlyMap<string, Site>;
}

function readBeside(held: PlaneContents, mesh: string): BesideRows {
  const trusts = [...held.store.each('MeshTrust')].map(({ resource }) => resource).filter(({ key }) => isTrustOf(key, mesh));
  return { mesh: meshOf(held, mesh), trusts, sites: knownSites(held) };
}

function isTrustOf({ type, mesh }: Key, ofMesh: string): boolean {
  return type === 'MeshTrust' && mesh === ofMesh;
}

interface AccessState {
  readonly parts: AccessParts;
  readonly refused: RefusedItems['access'];
  readonly access: MeshAccess;
}

/** `before` where nothing of it changed. */
function accessIn(
  held: PlaneContents,
  mesh: string,
  rows: MeshRows,
  { sites }: BesideRows,
  { access: refused }: RefusedItems,
  before?: AccessState,
): AccessState {
  const isRefusedSame = before !== undefined && isDeepStrictEqual(before.refused, refused);
  const standIns = isRefusedSame ? (before.parts.lists.at(-1) ?? []) : refused.map((refusal) => standInForPolicy(held, refusal));
  const knownSitesNow = before && isDeepStrictEqual(before.parts.sites, sites) ? before.parts.sites : sites;
  const parts = { mesh, lists: [...ACCESS_TYPES.map((type) => rows.resources(type)), standIns], sites: knownSitesNow };
  return before && isSameAccess(before.parts, parts) ? before : { parts, refused, access: accessOf(parts) };
}

function viewOf(
  held: PlaneContents,
  mesh: string,
  rows: MeshRows,
  beside: BesideRows,
  refused: RefusedItems,
  access = accessIn(held, mesh, rows, beside, refused).access,
): MeshView {
  const unreadable = readPolicies(refused.permissions.map((refusal) => standInForUnreadable(held, refusal)));
  const permissions = rows.policies('MeshTrafficPermission');
  const tls = { policies: rows.policies(MESH_TLS), mesh: beside.mesh, refused: refused.tls };
  const refusedByKey = new Map(unreadable.map((policy) => [keyId(policy.resource.key), policy.resource]));
  const reasons = new Map([...refused.permissions, ...refused.targets, ...refused.access].map(({ key, reason }) => [keyId(key), reason]));
  const lost = lostOf(held, refused);
  const lists = rows.policyLists();
  let policies: readonly Policy[] | undefined;
  return {
    mesh,
    dataplanes: rows.resources('Dataplane'),
    get policies() {
      policies ??= inOrder(lists.flat(), unreadable);
      return policies;
    },
    permissions: unreadable.length === 0 ? permissions : inOrder(permissions, unreadable),
    tls,
    trusts: beside.trusts,
    access,
    index: rows.index({
      lost,
      holder: (type, name) => holderOf(held, mesh, type, name) ?? lost(type).find(({ resource }) => resource.name === name)?.resource.key,
    }),
    targets: [...rows.targets(held.place.zone), refused.targets],
    find: (key) => refusedByKey.get(keyId(key)) ?? (findKind(key.type)?.policy ? rows.find(key) : undefined),
    refusal: (key) => reasons.get(keyId(key)),
  };
}

/** The refused items of a type. They are read when first asked for, since there are seldom any. */
function lostOf(held: PlaneContents, { targets }: RefusedItems): MeshIndex['lost'] {
  const byType = new Map<string, readonly LostResource[]>();
  return (type) => {
    const known = byType.get(type) ?? targets.filter(({ key }) => key.type === type).map((refusal) => standInForLost(held, refusal));
    byType.set(type, known);
    return known;
  };
}

function inOrder(policies: readonly Policy[], others: readonly Policy[]): Policy[] {
  return [...policies, ...others].sort(comparePolicies);
}

/** Global has a table of the assigned names. A zone reads them from its copies. */
function holderOf({ place, store }: PlaneContents, mesh: string, type: string, name: string): Key | undefined {
  const held = store.nameHolder(type, name);
  if (held) return held;
  const key = store.byName(type, mesh, findKind(type)?.namespaced ? place.systemNamespace : '', name)?.resource.key;
  return key && key.zone !== place.zone ? key : undefined;
}
