import type { AccessPolicy } from '../access/access-policies.ts';
import { type Attributes, sourceAttributes } from '../access/attributes.ts';
import { readWorkload } from '../access/read-resources.ts';
import type { Resource } from '../../resource/resource.ts';
import { spiffeIdOfDataplane } from './caller-identity.ts';

/** Callers that no policy tells apart. */
export interface CallerGroup {
  /** Counted from 0. It stays a group's own, also when nobody is in it any more. */
  readonly place: number;
  /** Those that policies ask for; undefined: nothing is known of them. */
  readonly attributes: Attributes | undefined;
}

interface GroupedCaller {
  readonly spiffeId: string;
  readonly group: CallerGroup;
}

/** The Dataplanes of a zone as callers: by what policies ask of them, and by identity. */
export class GroupedCallers {
  readonly keys: readonly string[];
  readonly site: Attributes | undefined;
  readonly #groups = new Map<string, CallerGroup>();
  readonly #byIdentity = new Map<string, Map<CallerGroup, number>>();
  #callers: ReadonlyMap<Resource, GroupedCaller | undefined> = new Map();

  /** `keys`: all that policies ask for, as `askedOf` has them. */
  constructor(keys: readonly string[], site: Attributes | undefined) {
    this.keys = keys;
    this.site = site;
  }

  /** How many places there are. */
  get places(): number {
    return this.#groups.size;
  }

  all(): Iterable<CallerGroup> {
    return this.#groups.values();
  }

  /** The groups of each identity. */
  get identities(): ReadonlyMap<string, ReadonlyMap<CallerGroup, number>> {
    return this.#byIdentity;
  }

  /** Equal for two identities about which the same is decided everywhere, whatever else there is. */
  classOf(spiffeId: string): string {
    const groups = [...(this.#byIdentity.get(spiffeId)?.keys() ?? [])];
    const texts = groups.map(({ attributes }) =>
      JSON.stringify(attributes ? this.keys.flatMap((key) => [key, attributes.get(key) ?? null]) : null),
    );
    return texts.sort().join();
  }

  /** How many of these are not known yet. */
  unknownAmong(dataplanes: readonly Resource[]): number {
    return dataplanes.reduce((count, dataplane) => count + (this.#callers.has(dataplane) ? 0 : 1), 0);
  }

  /** Out: the groups that are new, and whether an identity is in other groups than before. */
  update(dataplanes: readonly Resource[]): { readonly added: readonly CallerGroup[]; readonly changed: boolean } {
    const places = this.places;
    const now = new Map<Resource, GroupedCaller | undefined>();
    const came: GroupedCaller[] = [];
    for (const dataplane of dataplanes) {
      const isKnown = this.#callers.has(dataplane);
      const caller = isKnown ? this.#callers.get(dataplane) : this.#read(dataplane);
      now.set(dataplane, caller);
      if (caller && !isKnown) came.push(caller);
    }
    const left = [...this.#callers].flatMap(([dataplane, caller]) => (caller && !now.has(dataplane) ? [caller] : []));
    this.#callers = now;
    // Who came in the place of one that left, in the same group, changes nothing: hence first those who came.
    const changes = [...came.map((caller) => this.#count(caller, 1)), ...left.map((caller) => this.#count(caller, -1))];
    return { added: [...this.#groups.values()].slice(places), changed: changes.includes(true) };
  }

  /** undefined: it has no identity to call with. */
  #read(dataplane: Resource): GroupedCaller | undefined {
    const spiffeId = spiffeIdOfDataplane(dataplane);
    return spiffeId === undefined ? undefined : { spiffeId, group: this.#groupOf(sourceAttributes(readWorkload(dataplane), this.site)) };
  }

  #groupOf(source: Attributes): CallerGroup {
    const values = source.size === 0 ? undefined : this.keys.map((key) => source.get(key) ?? null);
    const id = JSON.stringify(values ?? null);
    const group = this.#groups.get(id) ?? { place: this.#groups.size, attributes: values && restrictedTo(this.keys, source) };
    this.#groups.set(id, group);
    return group;
  }

  /** Out: whether the identity is in a group anew, or no more. */
  #count({ spiffeId, group }: GroupedCaller, by: number): boolean {
    const groups = this.#byIdentity.get(spiffeId) ?? new Map<CallerGroup, number>();
    const before = groups.get(group) ?? 0;
    const now = before + by;
    if (now > 0) groups.set(group, now);
    else groups.delete(group);
    if (groups.size > 0) this.#byIdentity.set(spiffeId, groups);
    else this.#byIdentity.delete(spiffeId);
    return before === 0 || now === 0;
  }
}

function restrictedTo(keys: readonly string[], source: Attributes): Attributes {
  return new Map([...source].filter(([key]) => keys.includes(key)));
}

/** The keys of attributes that policies ask of callers, in order. */
export function askedOf(policies: readonly AccessPolicy[]): string[] {
  const asked = policies.flatMap(({ from }) => from.flatMap((selector) => selector.map(({ key }) => key)));
  return [...new Set(asked)].sort();
}
