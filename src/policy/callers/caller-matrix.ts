import { type AccessPolicy, concerns } from '../access/access-policies.ts';
import { selects } from '../access/attribute-selector.ts';
import { forEachInBoth, setBit } from '../access/many-selections.ts';
import type { Attributes } from '../access/attributes.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Parts } from '../../resource/store/parts.ts';
import { askedOf, type CallerGroup, GroupedCallers } from './caller-groups.ts';
import type { CalledDestination } from './called-services.ts';
import { type CallerMap, type CallerVerdict, isSameVerdict, isSelected, strictest } from './caller-verdicts.ts';

/** All that decides who may call in a zone: the policies in force there, its Dataplanes, its site. */
export interface CallersOfZone {
  readonly policies: readonly AccessPolicy[];
  readonly dataplanes: readonly Resource[];
  /** undefined: nothing is known of it. */
  readonly site: Attributes | undefined;
}

interface RememberedInbound {
  readonly version: object;
  readonly verdicts: CallerMap | undefined;
}

/** The policies that may decide at a destination, in their order; undefined: none selects it. */
interface MatchedDestination {
  readonly policies: readonly AccessPolicy[];
  readonly matching: readonly AccessPolicy[] | undefined;
}

const NOBODY: CallerVerdict = { allowed: false, privileged: false, decidedBy: undefined, mixed: false };

/** How many questions whether a `from` means a group are asked at once. */
const AT_ONCE = 20_000;
/** How many inbounds and destinations are remembered. */
const KEPT = 10_000;

/**
 * What the access policies of a zone decide about all of its callers at once, at whatever inbound: the same as
 * `callerVerdicts`, for the compiler. Callers that no policy tells apart are one group, and of each policy it is kept
 * which groups its `from` means, a bit each. So an inbound costs the policies that select it times the groups, a word
 * of 32 at a time; a caller or a policy that changes costs what is new about it.
 */
export class CallerMatrix {
  /** Another object whenever something may be decided in another way. */
  version: object = {};
  #policies: readonly AccessPolicy[] = [];
  #groups: GroupedCallers;
  readonly #rows = new Map<AccessPolicy, Uint32Array>();
  readonly #verdicts = new WeakMap<AccessPolicy, CallerVerdict>();
  readonly #matched = new Map<string, MatchedDestination>();
  readonly #inbounds = new Map<string, RememberedInbound>();
  /** The one that this takes the place of. */
  #earlier: CallerMatrix | undefined;

  private constructor(groups: GroupedCallers) {
    this.#groups = groups;
  }

  /** Makes one in steps. `before`: what is decided as it was there is the same object. */
  static *build({ policies, dataplanes, site }: CallersOfZone, before?: CallerMatrix): Parts<CallerMatrix> {
    const enforced = policies.filter(({ shadow }) => !shadow);
    const matrix = new CallerMatrix(new GroupedCallers(askedOf(enforced), site));
    for (let end = 0; end < dataplanes.length; ) {
      end = Math.min(end + 500, dataplanes.length);
      matrix.#groups.update(dataplanes.slice(0, end));
      yield;
    }
    matrix.#policies = enforced;
    for (const policy of enforced) {
      matrix.#addRow(policy);
      yield;
    }
    if (before) [matrix.#earlier, before.#earlier] = [before, undefined];
    return matrix;
  }

  /** Whether `update` has little to do; else one is built faster, and in steps. */
  isNear({ policies, dataplanes, site }: CallersOfZone): boolean {
    const enforced = policies.filter(({ shadow }) => !shadow);
    if (!isSameSite(site, this.#groups.site) || askedOf(enforced).join('\n') !== this.#groups.keys.join('\n')) return false;
    const groups = this.#groups.places;
    if (groups > 2 * dataplanes.length + 1_000) return false;
    const rows = enforced.filter((policy) => !this.#rows.has(policy)).length;
    return rows * groups + this.#groups.unknownAmong(dataplanes) * enforced.length <= AT_ONCE;
  }

  /** In: what `isNear` was asked about. */
  update({ policies, dataplanes }: CallersOfZone): void {
    const enforced = policies.filter(({ shadow }) => !shadow);
    const { added, changed } = this.#groups.update(dataplanes);
    for (const group of added) for (const [policy, row] of this.#rows) this.#rows.set(policy, withGroup(row, policy, group));
    const isOther = enforced.length !== this.#policies.length || enforced.some((policy, index) => policy !== this.#policies[index]);
    if (isOther) {
      this.#policies = enforced;
      const kept = new Set(enforced);
      for (const policy of [...this.#rows.keys()].filter((known) => !kept.has(known))) this.#rows.delete(policy);
      for (const policy of enforced) if (!this.#rows.has(policy)) this.#addRow(policy);
    }
    if (isOther || changed) this.version = {};
  }

  /**
   * What is decided about each identity of the zone at an inbound that is these destinations: the same object as last
   * time where nothing of it changed. undefined: no policy selects any of them.
   */
  at(destinations: readonly CalledDestination[]): CallerMap | undefined {
    const id = destinations.map((destination) => destination.id).join('\n');
    const before = this.#remembered(id);
    if (before?.version === this.version) return before.verdicts;
    const decided = destinations.flatMap((destination) => {
      const matching = this.#matching(destination);
      return matching ? [this.#decide(matching)] : [];
    });
    const now = decided.length === 0 ? undefined : this.#toMap(decided);
    const verdicts = before && isSameMap(before.verdicts, now) ? before.verdicts : now;
    remember(this.#inbounds, id, { version: this.version, verdicts });
    return verdicts;
  }

  #remembered(id: string): RememberedInbound | undefined {
    return this.#inbounds.get(id) ?? (this.#earlier ? this.#earlier.#inbounds.get(id) : undefined);
  }

  /** Equal for two identities about which the same is decided everywhere: by what policies ask of them. */
  classOf(spiffeId: string): string {
    return this.#groups.classOf(spiffeId);
  }

  #matching(destination: CalledDestination): readonly AccessPolicy[] | undefined {
    const before = this.#matched.get(destination.id);
    if (before?.policies === this.#policies) return before.matching;
    const matching = isSelected(this.#policies, destination) ? this.#policies.filter((policy) => isFor(policy, destination)) : undefined;
    remember(this.#matched, destination.id, { policies: this.#policies, matching });
    return matching;
  }

  /** Each group by the first policy that means it. */
  #decide(matching: readonly AccessPolicy[]): CallerVerdict[] {
    const places = this.#groups.places;
    const verdicts = Array.from({ length: places }, () => NOBODY);
    const open = new Uint32Array((places + 31) >>> 5).fill(0xffff_ffff);
    for (const policy of matching) {
      const row = this.#rows.get(policy);
      if (!row) continue;
      const verdict = this.#verdictOf(policy);
      forEachInBoth(row, open, (place) => (verdicts[place] = verdict));
      for (let word = 0; word < row.length; word++) open[word] = (open[word] ?? 0) & ~(row[word] ?? 0);
    }
    return verdicts;
  }

  #verdictOf(policy: AccessPolicy): CallerVerdict {
    const { key, privileged, action } = policy;
    const verdict = this.#verdicts.get(policy) ?? { allowed: action === 'allow', privileged, decidedBy: key, mixed: false };
    this.#verdicts.set(policy, verdict);
    return verdict;
  }

  #toMap(decided: readonly (readonly CallerVerdict[])[]): CallerMap {
    const verdicts = new Map<string, CallerVerdict>();
    for (const [spiffeId, groups] of this.#groups.identities) {
      const all = [...groups.keys()].flatMap(({ place }) => decided.map((one) => one[place] ?? NOBODY));
      verdicts.set(spiffeId, strictest(all) ?? NOBODY);
    }
    return verdicts;
  }

  #addRow(policy: AccessPolicy): void {
    const row = new Uint32Array((this.#groups.places + 31) >>> 5);
    for (const group of this.#groups.all()) if (means(policy, group)) setBit(row, group.place);
    this.#rows.set(policy, row);
  }
}

function isFor({ key, to }: AccessPolicy, { namespace, attributes }: CalledDestination): boolean {
  return attributes !== undefined && concerns(key, namespace) && selects(to, attributes);
}

/** Nobody is meant of whom nothing is known. */
function means({ from }: AccessPolicy, { attributes }: CallerGroup): boolean {
  return attributes !== undefined && selects(from, attributes);
}

function withGroup(row: Uint32Array, policy: AccessPolicy, group: CallerGroup): Uint32Array {
  if (!means(policy, group)) return row;
  const words = (group.place >>> 5) + 1;
  const wide = row.length >= words ? row : widened(row, words);
  setBit(wide, group.place);
  return wide;
}

/** By half as much again, so that many that come one by one are not copied each time. */
function widened(row: Uint32Array, words: number): Uint32Array {
  const wide = new Uint32Array(Math.max(words, row.length + (row.length >>> 1)));
  wide.set(row);
  return wide;
}

function isSameSite(one: Attributes | undefined, other: Attributes | undefined): boolean {
  if (!one || !other) return one === other;
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}

function isSameMap(one: CallerMap | undefined, other: CallerMap | undefined): boolean {
  if (!one || !other) return one === other;
  if (one.size !== other.size) return false;
  for (const [id, verdict] of one) if (!isSameVerdict(verdict, other.get(id))) return false;
  return true;
}

/** What was used longest ago is forgotten first. */
function remember<T>(known: Map<string, T>, id: string, value: T): void {
  known.delete(id);
  known.set(id, value);
  if (known.size <= KEPT) return;
  const [oldest] = known.keys();
  if (oldest !== undefined) known.delete(oldest);
}
