import type { Rule } from './applied.js';
import { Entries, type Entry, inOrder, onRules } from './entries.js';
import { type Effect, lookUp, type OnMatch, orElse } from './envoy.js';
import { withoutSlash } from './sans.js';

/**
 * The rules of one effect, by identity: so that the cost of a request does not grow with their number, nor that of a change. A prefix
 * stands in both maps, since it is a whole identity too (design, section 5: whole path segments).
 *
 *   Exact spiffe://td/a    ->  exact map: spiffe://td/a
 *   Prefix spiffe://td/ns  ->  exact map: spiffe://td/ns,  prefix map: spiffe://td/ns/
 */
export class Identities {
  readonly #effect: Effect;
  readonly #exact: Entries;
  readonly #prefix: Entries;
  #anybody: Rule[] = [];

  constructor(effect: Effect) {
    this.#effect = effect;
    this.#exact = new Entries(effect);
    this.#prefix = new Entries(effect);
  }

  /** Takes rules out, all those of their permissions, and others in. */
  change(out: readonly Rule[], into: readonly Rule[]): void {
    const gone = new Set(out.map(({ by }) => by));
    this.#exact.change(gone, out.flatMap(exactly), into.flatMap(exactly));
    this.#prefix.change(gone, out.flatMap(beginnings), into.flatMap(beginnings));
    const others = this.#anybody.filter(({ by }) => !gone.has(by));
    this.#anybody = [...others, ...into.filter(({ spiffeId }) => !spiffeId)].sort(inOrder);
  }

  /** All of them, as what Envoy asks before `onNoMatch`. */
  before(onNoMatch: OnMatch): OnMatch {
    const prefixes = this.#prefix.isEmpty ? onNoMatch : lookUp('prefixMatchMap', this.#prefix.map, onNoMatch);
    const identities = this.#exact.isEmpty ? prefixes : lookUp('exactMatchMap', this.#exact.map, prefixes);
    const anybody = onRules(this.#anybody, this.#effect);
    return anybody ? orElse(anybody, identities) : identities;
  }
}

function exactly(rule: Rule): Entry[] {
  const { spiffeId: id } = rule;
  if (!id) return [];
  return [[id.type === 'Exact' ? id.value : withoutSlash(id.value), rule]];
}

function beginnings(rule: Rule): Entry[] {
  const { spiffeId: id } = rule;
  return id?.type === 'Prefix' ? [[`${withoutSlash(id.value)}/`, rule]] : [];
}
