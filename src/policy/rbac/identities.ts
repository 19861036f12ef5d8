import type { Applied, Rule } from './applied.js';
import { Entries, inOrder, onRules } from './entries.js';
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
  #anybody: readonly Rule[] = [];

  constructor(effect: Effect) {
    this.#effect = effect;
    this.#exact = new Entries(effect);
    this.#prefix = new Entries(effect);
  }

  /** Takes the rules of some permissions out, and others in. */
  change(gone: ReadonlySet<Applied>, out: readonly Rule[], into: readonly Rule[]): void {
    for (const rule of out) {
      onTexts(
        rule,
        (text) => this.#exact.remove(text, gone),
        (text) => this.#prefix.remove(text, gone),
      );
    }
    for (const rule of into) {
      onTexts(
        rule,
        (text) => this.#exact.add(text, rule),
        (text) => this.#prefix.add(text, rule),
      );
    }
    const others = this.#anybody.filter(({ by }) => !gone.has(by));
    this.#anybody = [...others, ...into.filter(({ spiffeId }) => !spiffeId)].sort(inOrder);
    this.#exact.write();
    this.#prefix.write();
  }

  /** All of them, as what Envoy asks before `onNoMatch`. */
  before(onNoMatch: OnMatch): OnMatch {
    const prefixes = this.#prefix.isEmpty ? onNoMatch : lookUp('prefixMatchMap', this.#prefix.map, onNoMatch);
    const identities = this.#exact.isEmpty ? prefixes : lookUp('exactMatchMap', this.#exact.map, prefixes);
    const anybody = onRules(this.#anybody, this.#effect);
    return anybody ? orElse(anybody, identities) : identities;
  }
}

/** The texts of a rule in each map. */
function onTexts({ spiffeId: id }: Rule, exact: (text: string) => void, prefix: (text: string) => void): void {
  if (!id) return;
  exact(id.type === 'Exact' ? id.value : withoutSlash(id.value));
  if (id.type === 'Prefix') prefix(`${withoutSlash(id.value)}/`);
}
