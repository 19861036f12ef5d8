import { ACCESS_TYPES } from '../../policy/access/access-policies.ts';
import { type MeshIndex, TargetIndex } from '../../policy/match/mesh-index.ts';
import { comparePolicies } from '../../policy/match/policy-order.ts';
import { readPolicies } from '../../policy/match/read-policies.ts';
import type { Policy } from '../../policy/match/policy.ts';
import { compareText, type Key, keyId } from '../../resource/key.ts';
import { findKind, KINDS } from '../../resource/kinds.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Parts } from '../../resource/store/parts.ts';
import type { Reader } from '../../resource/store/store.ts';

/** Where targetRefs lead to, and the policies, those of access among them. */
const READ = KINDS.filter(({ type, policy, target }) => policy !== undefined || target || ACCESS_TYPES.includes(type));

/** The resources of one kind. The lists are never changed: another one takes their place. */
interface Rows {
  readonly byKey: Map<string, Resource>;
  /** By name and namespace, as the store lists them. */
  resources: readonly Resource[];
  /** In order, the most specific last. Empty for kinds that are not policies. */
  policies: readonly Policy[];
}

/** Where targetRefs lead to, the routes among them; of Dataplanes, each speaks for itself. */
export const LEADING: readonly string[] = READ.filter(({ nature, target }) => nature === 'route' || (target && nature !== 'proxy')).map(
  ({ type }) => type,
);

const SERVICE = 'MeshService';

const NONE: Rows = { byKey: new Map(), resources: [], policies: [] };

/** The parsed form of a resource, which never changes. */
const read = new WeakMap<Resource, readonly Policy[]>();

/**
 * The rows of a mesh that the policy engine reads. They follow the store key by key, and equal what reading everything
 * again would give.
 */
export class MeshRows {
  private readonly store: Pick<Reader, 'each' | 'get'>;
  private readonly mesh: string;

  readonly #types = new Map<string, Rows>();
  /** Another object whenever a service changed that may matter to a proxy of the zone. */
  #near: readonly unknown[] = [];
  /** Of what targetRefs lead to but Dataplanes, and of the kinds that were asked for so. */
  readonly #indexed = new Map<string, TargetIndex>();

  private constructor(store: Pick<Reader, 'each' | 'get'>, mesh: string) {
    this.store = store;
    this.mesh = mesh;
  }

  /** Reads them, a step at a time. What is written meanwhile may be among them or not: `update` with its keys. */
  static *read(store: Pick<Reader, 'each' | 'get'>, mesh: string): Parts<MeshRows> {
    const rows = new MeshRows(store, mesh);
    for (const { type } of READ) rows.#types.set(type, yield* rows.#read(type));
    for (const type of LEADING) if (rows.resources(type).length > 0) rows.#indexed.set(type, yield* indexed(rows.resources(type)));
    return rows;
  }

  /** Reads the rows of these keys again, in `zone`. Out: whether any of them belongs to the mesh. */
  update(keys: readonly Key[], zone: string): boolean {
    const touched = new Map(keys.filter(({ type, mesh }) => mesh === this.mesh && this.#types.has(type)).map((key) => [keyId(key), key]));
    const types = new Set([...touched.values()].map(({ type }) => type));
    for (const type of types)
      this.#update(
        this.#of(type),
        [...touched.values()].filter((key) => key.type === type),
        zone,
      );
    return types.size > 0;
  }

  resources(type: string): readonly Resource[] {
    return this.#of(type).resources;
  }

  /**
   * What targetRefs lead to but Dataplanes, kind by kind: other objects where they changed. In a zone, of the services
   * only those that may select a proxy of it: the others are told apart by what of them is here by name.
   */
  targets(zone: string): (readonly unknown[])[] {
    return LEADING.map((type) => (type === SERVICE && zone !== '' ? this.#near : this.resources(type)));
  }

  /** A service selects proxies of its own zone. Who has the name that one's copy would have matters too. */
  #isNear({ key, name }: Resource, zone: string): boolean {
    if (key.zone === zone) return true;
    for (const { key: own } of this.#targetsOf(SERVICE).hashed(name)) if (own.zone === zone) return true;
    return false;
  }

  policies(type: string): readonly Policy[] {
    return this.#of(type).policies;
  }

  /** Of all kinds, kind by kind. */
  policyLists(): (readonly Policy[])[] {
    return [...this.#types.values()].map(({ policies }) => policies);
  }

  /** The lists are those of now, what is found by key or name is as it is when it is asked for. */
  index({ holder, lost }: Pick<MeshIndex, 'holder' | 'lost'>): MeshIndex {
    const lists = new Map([...this.#types].map(([type, { resources }]) => [type, resources]));
    return {
      ofType: (type) => lists.get(type) ?? [],
      find: (key) => this.find(key),
      targets: (type) => this.#targetsOf(type),
      named: (type, namespace, name) => named(lists.get(type) ?? [], namespace, name),
      holder,
      lost,
    };
  }

  find(key: Key): Resource | undefined {
    return this.#of(key.type).byKey.get(keyId(key));
  }

  #targetsOf(type: string): TargetIndex {
    const found = this.#indexed.get(type) ?? new TargetIndex(this.#of(type).resources);
    this.#indexed.set(type, found);
    return found;
  }

  #of(type: string): Rows {
    return this.#types.get(type) ?? NONE;
  }

  *#read(type: string): Parts<Rows> {
    const byKey = new Map<string, Resource>();
    const policies: Policy[] = [];
    for (const { resource } of this.store.each(type)) {
      if (resource.key.mesh !== this.mesh) continue;
      byKey.set(keyId(resource.key), resource);
      for (const policy of policiesOf(resource)) policies.push(policy);
      yield;
    }
    const resources = yield* sorted([...byKey.values()], compareNames);
    return { byKey, resources, policies: yield* sorted(policies, comparePolicies) };
  }

  #update(rows: Rows, keys: readonly Key[], zone: string): void {
    const out = keys.flatMap((key) => rows.byKey.get(keyId(key)) ?? []);
    const into = keys.flatMap((key) => this.store.get(key)?.resource ?? []);
    if (zone !== '' && [...out, ...into].some((one) => one.key.type === SERVICE && this.#isNear(one, zone))) this.#near = [];
    for (const { key } of out) rows.byKey.delete(keyId(key));
    for (const resource of into) rows.byKey.set(keyId(resource.key), resource);
    for (const { key } of out) this.#indexed.get(key.type)?.delete(key);
    for (const resource of into) this.#indexed.get(resource.key.type)?.put(resource);
    rows.resources = exchange(rows.resources, out, into, compareNames);
    rows.policies = exchange(rows.policies, out.flatMap(policiesOf), into.flatMap(policiesOf), comparePolicies);
  }
}

/** None where the kind is no policy. */
function policiesOf(resource: Resource): readonly Policy[] {
  const before = read.get(resource);
  if (before) return before;
  const policies = findKind(resource.key.type)?.policy ? readPolicies([resource]) : [];
  read.set(resource, policies);
  return policies;
}

function compareNames(a: Resource, b: Resource): number {
  return compareText(a.name, b.name) || compareText(a.namespace, b.namespace);
}

function named(list: readonly Resource[], namespace: string, name: string): Resource | undefined {
  const found = list[firstNotBefore(list, (one) => compareText(one.name, name) || compareText(one.namespace, namespace))];
  return found?.name === name && found.namespace === namespace ? found : undefined;
}

function* indexed(resources: readonly Resource[]): Parts<TargetIndex> {
  const index = new TargetIndex([]);
  for (const resource of resources) {
    index.put(resource);
    yield;
  }
  return index;
}

/** How many are sorted in a step. */
const SORTED = 1_000;

/** Sorts in steps: a list that consists of sorted ones takes little more than looking through it. */
function* sorted<T>(list: T[], compare: (a: T, b: T) => number): Parts<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < list.length; from += SORTED) {
    runs.push(list.slice(from, from + SORTED).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      longer.push((runs[at] ?? []).concat(runs[at + 1] ?? []).sort(compare));
      yield;
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

/** A sorted list without some of it, and with others in their places. */
function exchange<T extends object>(
  list: readonly T[],
  out: readonly T[],
  into: readonly T[],
  compare: (a: T, b: T) => number,
): readonly T[] {
  const kept = without(list, out);
  if (into.length > 16) return kept.concat(into.toSorted(compare)).sort(compare);
  for (const one of into) {
    const place = firstNotBefore(kept, (other) => compare(other, one));
    kept.splice(place, 0, one);
  }
  return kept;
}

/**
 * A copy. Looking through the list for each of a few is faster than asking each of the list whether it is one of them.
 */
function without<T extends object>(list: readonly T[], out: readonly T[]): T[] {
  if (out.length > 16) {
    const gone = new Set(out);
    return list.filter((one) => !gone.has(one));
  }
  const kept = [...list];
  for (const one of out) {
    const place = kept.indexOf(one);
    if (place >= 0) kept.splice(place, 1);
  }
  return kept;
}

/** Binary search: the first place in a sorted list whose entry is not before (`compare` below 0) the wanted one. */
function firstNotBefore<T>(list: readonly T[], compare: (one: T) => number): number {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compare(list[middle] as T) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}
