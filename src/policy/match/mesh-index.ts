import { asObject, asText } from '../../naming/json.ts';
import { hashedName, looksHashed } from '../../naming/hash-name.ts';
import { compareText, type Key, keyId, sameKey } from '../../resource/key.ts';
import { kindOf } from '../../resource/kinds.ts';
import type { Labels } from '../../resource/labels.ts';
import type { Resource } from '../../resource/resource.ts';
import type { TargetRef } from '../../resource/schema/reference-kinds.ts';
import type { Policy } from './policy.ts';
import { includesAll, labelsOf, textsOf } from './proxy-tags.ts';

/** Whose name a copy has, of those that were assigned one (src/resource/store/store.ts, `nameHolder`). */
export type Holder = (type: string, name: string) => Key | undefined;

/** What was refused here, so that nothing of it is in force: its spec is not known. */
export interface LostResource {
  /** Without a spec. */
  readonly resource: Resource;
  /** Whether its labels could be read. */
  readonly labelled: boolean;
}

const NONE: ReadonlySet<Resource> = new Set();

/**
 * The resources of one kind by what asks for them, so that a question costs what it finds and not what there is: by
 * label, by display name, and of services by what their selectors ask of a proxy.
 */
export class TargetIndex {
  readonly #all = new Map<string, Resource>();
  readonly #byTerm = new Map<string, Set<Resource>>();
  /** By the names of copies. It is made when one is first asked for: that takes long, and is seldom. */
  #hashed: Map<string, Set<Resource>> | undefined;

  constructor(resources: Iterable<Resource>) {
    for (const resource of resources) this.put(resource);
  }

  /** In the place of one with the same key. */
  put(resource: Resource): void {
    this.delete(resource.key);
    this.#all.set(keyId(resource.key), resource);
    for (const term of termsOf(resource)) addTo(this.#byTerm, term, resource);
    if (this.#hashed) addTo(this.#hashed, hashedName(resource.key), resource);
  }

  delete(key: Key): void {
    const resource = this.#all.get(keyId(key));
    if (!resource) return;
    this.#all.delete(keyId(key));
    for (const term of termsOf(resource)) removeFrom(this.#byTerm, term, resource);
    if (this.#hashed) removeFrom(this.#hashed, hashedName(key), resource);
  }

  /** All that have these labels are among them; no labels are in all. */
  carrying(labels: Labels): Iterable<Resource> & { readonly size: number } {
    const [first, ...others] = Object.entries(labels).map(([key, value]) => this.#byTerm.get(labelTerm(key, value)) ?? NONE);
    if (first) return others.reduce((least, set) => (set.size < least.size ? set : least), first);
    return { size: this.#all.size, [Symbol.iterator]: () => this.#all.values() };
  }

  called(name: string): Iterable<Resource> {
    return this.#byTerm.get(`name ${name}`) ?? NONE;
  }

  hashed(name: string): Iterable<Resource> {
    if (!this.#hashed) {
      this.#hashed = new Map();
      for (const resource of this.#all.values()) addTo(this.#hashed, hashedName(resource.key), resource);
    }
    return this.#hashed.get(name) ?? NONE;
  }

  /** All services that select an inbound are among those that ask for one of these (`asksOf`, service-selector.ts). */
  selecting(asks: readonly string[]): Iterable<Resource> & { readonly size: number } {
    const sets = asks.flatMap((term) => this.#byTerm.get(term) ?? []);
    return {
      size: sets.reduce((sum, { size }) => sum + size, 0),
      *[Symbol.iterator]() {
        for (const set of sets) yield* set;
      },
    };
  }
}

function termsOf(resource: Resource): string[] {
  const labels = Object.entries(labelsOf(resource)).map(([key, value]) => labelTerm(key, value));
  return [`name ${resource.key.name}`, ...labels, ...(resource.key.type === 'MeshService' ? selectorAsks(resource) : [])];
}

/**
 * What a service's selector asks of a proxy, as a text to look it up by: one of several tags is enough to find those
 * that may have all. None where it selects nothing.
 */
export function selectorAsks({ key, spec }: Resource): string[] {
  const { dataplaneTags, dataplaneRef, dataplaneLabels } = asObject(spec.selector) ?? {};
  const ask = (what: string, value: string) => [`asks ${what} ${key.zone} ${key.namespace} ${value}`];
  if (dataplaneRef !== undefined) return ask('name', asText(asObject(dataplaneRef)?.name) ?? '');
  const what = dataplaneLabels === undefined ? 'tag' : 'label';
  const wanted = dataplaneLabels === undefined ? dataplaneTags : (asObject(dataplaneLabels)?.matchLabels ?? dataplaneLabels);
  const [first] = Object.entries(textsOf(wanted));
  return first ? ask(what, `${first[0]}=${first[1]}`) : [];
}

function labelTerm(key: string, value: string): string {
  return `label ${key}=${value}`;
}

function addTo(sets: Map<string, Set<Resource>>, term: string, resource: Resource): void {
  const set = sets.get(term);
  if (set) set.add(resource);
  else sets.set(term, new Set([resource]));
}

function removeFrom(sets: Map<string, Set<Resource>>, term: string, resource: Resource): void {
  const set = sets.get(term);
  set?.delete(resource);
  if (set?.size === 0) sets.delete(term);
}

/** What the targetRefs of one mesh may lead to: its services, gateways and routes. */
export interface MeshIndex {
  ofType(type: string): readonly Resource[];
  find(key: Key): Resource | undefined;
  /** Of a kind, by what references and inbounds ask for. */
  targets(type: string): TargetIndex;
  /** By what it is called in this store. */
  named(type: string, namespace: string, name: string): Resource | undefined;
  readonly holder: Holder;
  lost(type: string): readonly LostResource[];
}

/** Indexes resources of one mesh; `holder` knows the names of copies, without it they are computed. */
export function indexMesh(resources: Iterable<Resource>, holder: Holder = () => undefined, lost: readonly LostResource[] = []): MeshIndex {
  const byType = new Map<string, Resource[]>();
  const byKey = new Map<string, Resource>();
  const byName = new Map<string, Resource>();
  const targets = new Map<string, TargetIndex>();
  for (const resource of resources) {
    const { key, namespace, name } = resource;
    const sameType = byType.get(key.type);
    if (sameType) sameType.push(resource);
    else byType.set(key.type, [resource]);
    byKey.set(keyId(key), resource);
    byName.set(keyId({ ...key, zone: '', namespace, name, mesh: '' }), resource);
  }
  return {
    ofType: (type) => byType.get(type) ?? [],
    find: (key) => byKey.get(keyId(key)),
    targets: (type) => {
      const found = targets.get(type) ?? new TargetIndex(byType.get(type) ?? []);
      targets.set(type, found);
      return found;
    },
    named: (type, namespace, name) => byName.get(keyId({ type, mesh: '', zone: '', namespace, name })),
    holder,
    lost: (type) => lost.filter(({ resource }) => resource.key.type === type),
  };
}

/**
 * Whether a top-level targetRef means the resource with this key. A name means what has it at the policy's origin (zone
 * and namespace); where names are global it may be that of a copy. Labels mean all that have them.
 *
 *   policy of east, namespace `ns`: `{name: backend-1}`  means  (east, ns, backend-1), and no other `backend-1`
 *   policy of global: `{name: backend-1-<hash>}`         means  what that is the copy of
 */
export function means(ref: TargetRef, policy: Policy, resource: Resource, { holder }: Pick<MeshIndex, 'holder'>): boolean {
  const { key } = resource;
  if (key.mesh !== policy.resource.key.mesh) return false;
  if (ref.labels) return includesAll(labelsOf(resource), ref.labels);
  if (ref.name === undefined) return false;
  const { zone, namespace: own } = policy.resource.key;
  const namespace = kindOf(key.type).namespaced ? (ref.namespace ?? own) : '';
  if (sameKey(key, { type: key.type, mesh: key.mesh, zone, namespace, name: ref.name })) return true;
  const global = namespace === '' || (policy.role === 'system' && namespace === own);
  return global && looksHashed(ref.name) && isCopyOf(ref.name, key, holder(key.type, ref.name));
}

/** The resources of a kind that a top-level targetRef means (`means`), in the order of their names. */
export function targetsOf(type: string, ref: TargetRef, policy: Policy, mesh: MeshIndex): Resource[] {
  const found = [...new Set(mayMean(type, ref, mesh))].filter((resource) => means(ref, policy, resource, mesh));
  return found.sort((a, b) => compareText(a.name, b.name) || compareText(a.namespace, b.namespace));
}

/** Those among which all are that a reference means. */
export function mayMean(type: string, ref: TargetRef, mesh: MeshIndex): Iterable<Resource> {
  const targets = mesh.targets(type);
  if (ref.labels) return targets.carrying(ref.labels);
  if (ref.name === undefined) return [];
  const called = targets.called(ref.name);
  if (!looksHashed(ref.name)) return called;
  const held = mesh.holder(type, ref.name);
  const copies = held ? [mesh.find(held)].filter((found) => found !== undefined) : targets.hashed(ref.name);
  return [...called, ...copies];
}

function isCopyOf(name: string, key: Key, held: Key | undefined): boolean {
  return held ? sameKey(held, key) : kindOf(key.type).hashed && hashedName(key) === name;
}
