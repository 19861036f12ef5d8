import type { CallerMap, CallerVerdict } from '../callers/caller-verdicts.ts';
import { formatKri } from '../../resource/key.ts';
import type { RegionPermission, MatcherRule } from './applied-permissions.ts';
import { MatcherEntries, inOrder, onRules } from './matcher-entries.ts';
import { foldMatch, type MatchCases } from '../../resource/string-match.ts';
import { act, firstOf, type RbacEffect, lookUp, type OnMatch, orElse } from './envoy-matchers.ts';
import { isId } from './san-matchers.ts';

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

/**
 * What access policies decide about callers, each by its one URI SAN: what privileged ones deny comes first, the rest
 * after what permissions deny (docs/design/attributes.md#in-envoy). Whom no policy decides about is in neither.
 */
export interface CallerEntries {
  readonly vetoes: Readonly<Record<string, OnMatch>>;
  readonly verdicts: Readonly<Record<string, OnMatch>>;
}

/** What was made of the verdicts of an inbound, which never change: it is one on both sides, and in each region. */
const made = new WeakMap<CallerMap, CallerEntries>();

export function callerEntries(callers: CallerMap): CallerEntries {
  const entries = made.get(callers) ?? toEntries(callers);
  made.set(callers, entries);
  return entries;
}

function toEntries(callers: CallerMap): CallerEntries {
  const acts = new Map<string, OnMatch>();
  const toAct = ({ allowed, decidedBy }: CallerVerdict): OnMatch | undefined => {
    if (!decidedBy) return undefined;
    const [effect, kri] = [allowed ? 'ALLOW' : 'DENY', formatKri(decidedBy)] as const;
    const known = acts.get(`${effect} ${kri}`) ?? act(effect, kri);
    acts.set(`${effect} ${kri}`, known);
    return known;
  };
  const all = [...callers].sort(([a], [b]) => (a < b ? -1 : 1));
  const entriesOf = (meant: (verdict: CallerVerdict) => boolean) =>
    Object.fromEntries(
      all.flatMap(([id, verdict]) => {
        const onMatch = meant(verdict) ? toAct(verdict) : undefined;
        return onMatch ? [[id, onMatch] as const] : [];
      }),
    );
  const isVeto = ({ privileged, allowed }: CallerVerdict): boolean => privileged && !allowed;
  return { vetoes: entriesOf(isVeto), verdicts: entriesOf((verdict) => !isVeto(verdict)) };
}

/** Entries as what Envoy asks before `onNoMatch`: a map, or a list for an Envoy that is too old for trees. */
export function entriesBefore(entries: Readonly<Record<string, OnMatch>>, form: 'trees' | 'list', onNoMatch: OnMatch): OnMatch {
  const all = Object.entries(entries);
  if (all.length === 0) return onNoMatch;
  if (form === 'trees') return lookUp('exactMatchMap', entries, onNoMatch);
  return firstOf(
    all.map(([value, onMatch]) => ({ predicate: isId({ type: 'Exact', value }), onMatch })),
    onNoMatch,
  );
}
