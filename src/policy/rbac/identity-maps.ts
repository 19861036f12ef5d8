import type { RegionPermission, MatcherRule } from './applied-permissions.ts';
import { MatcherEntries, inOrder, onRules } from './matcher-entries.ts';
import { foldMatch, type MatchCases } from '../../resource/string-match.ts';
import { type RbacEffect, lookUp, type OnMatch, orElse } from './envoy-matchers.ts';

/** Where an identity stands in the maps. */
interface MapEntries {
  readonly exact: string;
  readonly prefix: string | undefined;
}

const ENTRIES: MatchCases<MapEntries> = {
  Exact: (exact) => ({ exact, prefix: undefined }),
  Prefix: (exact) => ({ exact, prefix: `${exact}/` }),
};

/**
 * The rules of one effect, by identity: so that the cost of a request does not grow with their number, nor that of a
 * change. A prefix stands in both maps, since it is a whole identity too (docs/design/access.md#identities: whole path
 * segments).
 *
 *   Exact spiffe://td/a    ->  exact map: spiffe://td/a
 *   Prefix spiffe://td/ns  ->  exact map: spiffe://td/ns,  prefix map: spiffe://td/ns/
 */
export class Identities {
  readonly #effect: RbacEffect;
  readonly #exact: MatcherEntries;
  readonly #prefix: MatcherEntries;
  #anybody: readonly MatcherRule[] = [];

  constructor(effect: RbacEffect) {
    this.#effect = effect;
    this.#exact = new MatcherEntries(effect);
    this.#prefix = new MatcherEntries(effect);
  }

  /** Takes the rules of some permissions out, and others in. */
  change(gone: ReadonlySet<RegionPermission>, out: readonly MatcherRule[], into: readonly MatcherRule[]): void {
    for (const { spiffeId: id } of out) {
      if (!id) continue;
      const { exact, prefix } = foldMatch(id, ENTRIES);
      this.#exact.remove(exact, gone);
      if (prefix !== undefined) this.#prefix.remove(prefix, gone);
    }
    for (const rule of into) {
      const { spiffeId: id } = rule;
      if (!id) continue;
      const { exact, prefix } = foldMatch(id, ENTRIES);
      this.#exact.add(exact, rule);
      if (prefix !== undefined) this.#prefix.add(prefix, rule);
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
