import type { JsonObject } from '../../resource/resource.ts';
import { fromItemsOf, isUnreadable, listsOf, type VerdictSide } from '../../resource/permission-actions.ts';
import type { RequestSubject } from '../decide/read-request.ts';
import type { CallerMap } from '../callers/caller-verdicts.ts';
import type { StringMatch } from '../../resource/string-match.ts';
import { type RegionPermission, actBy, allowRules, denyRules, type MatcherRule } from './applied-permissions.ts';
import {
  act,
  allOf,
  type MatchCase,
  type RbacEffect,
  firstOf,
  type MatcherTree,
  type OnMatch,
  type Predicate,
  toMatcher,
} from './envoy-matchers.ts';
import { allowed, beside, denied, type Formula, type RbacFromItem, itemsOf } from './from-formula.ts';
import { callerEntries, type CallerEntries, entriesBefore, Identities } from './identity-maps.ts';
import { toPredicate, toRules } from './from-principals.ts';
import { hasId, isAskedAbout, isId, NOT_ONE, SEVERAL } from './san-matchers.ts';

/** How an Envoy is told about lists: one that is too old for trees, or unknown, gets a plain list. */
export type RbacForm = 'trees' | 'list';

/** What Envoy's logs call the reasons that are no single policy's. */
export const REASON = { nobody: 'nobody-allows', identities: 'not-one-identity', from: 'from', asked: 'asks-zone' } as const;

const NOBODY_ALLOWS = act('DENY', REASON.nobody);
/** They go on to what asks the zone: it decides. */
const ASK = act('ALLOW', REASON.asked);
const ONE_IDENTITY: MatchCase = { predicate: NOT_ONE, onMatch: act('DENY', REASON.identities) };

/** What an RBAC is compiled for. */
export interface SideTarget {
  readonly protocol: RequestSubject['protocol'];
  readonly form: RbacForm;
  /**
   * The trust domain of the zone, `spiffe://default.east.mesh.local`: where access policies say who may enter, the zone
   * is asked about callers of others. undefined: they are denied.
   */
  readonly home?: string | undefined;
}

/**
 * The decision of one side as a matcher, in the order of `evaluate`. All denies come before any allow, since Envoy's
 * map takes the longest prefix, and a short deny must win over a long allow.
 *
 *   deny maps  ->  `from`: deny, allow  ->  not exactly one SAN: deny  ->  allow maps  ->  deny
 *
 * Where access policies say who may enter (src/policy/decide/evaluate-callers.ts):
 *
 *   vetoed callers  ->  deny maps  ->  `from`: deny  ->  callers: allow or deny  ->  other zones': ask  ->  deny
 */
export class SideRbac {
  readonly #side: VerdictSide;
  readonly #protocol: RequestSubject['protocol'];
  readonly #form: RbacForm;
  /** Where callers end about whom access policies here say nothing. */
  readonly #unknown: OnMatch;
  readonly #deny = new Identities('DENY');
  readonly #allow = new Identities('ALLOW');

  #applied: readonly RegionPermission[] = [];
  /** Those with `from`, and what they decide. */
  #from: readonly RegionPermission[] = [];
  #cases: readonly MatchCase[] = [];
  #callers: CallerMap | undefined;
  /** How many are not `from`, by what else they are. */
  #lists = 0;
  #broken = 0;

  constructor(side: VerdictSide, { protocol, form, home }: SideTarget) {
    this.#side = side;
    this.#protocol = protocol;
    this.#form = form;
    this.#unknown = home === undefined ? NOBODY_ALLOWS : firstOf([{ predicate: isAskedAbout(home), onMatch: ASK }], NOBODY_ALLOWS);
  }

  /**
   * What went and what came since the last time, and all that there is now. `callers`: what access policies decide, if
   * any selects the inbound.
   */
  change(
    out: readonly RegionPermission[],
    into: readonly RegionPermission[],
    all: readonly RegionPermission[],
    callers: CallerMap | undefined,
  ): void {
    const [hadLists, hadCallers] = [this.#lists > 0, this.#callers !== undefined];
    this.#applied = all;
    this.#callers = callers;
    this.#lists += count(into, hasLists) - count(out, hasLists);
    this.#broken += count(into, isUnreadable) - count(out, isUnreadable);
    const from = count(out, hasItems) + count(into, hasItems) > 0;
    if (from) this.#from = all.filter(({ mtp }) => hasItems(mtp));
    if (from || hadLists !== this.#lists > 0 || hadCallers !== (callers !== undefined)) this.#cases = this.#fromCases();
    if (this.#form === 'list') return;
    const gone = new Set(out);
    this.#deny.change(gone, this.#denials(out), this.#denials(into));
    this.#allow.change(gone, this.#allowances(out), this.#allowances(into));
  }

  /** Nothing decides but `from`, or nothing at all. */
  get isFromAlone(): boolean {
    return this.#lists === 0 && this.#broken === 0 && !this.#callers;
  }

  toRules(): JsonObject {
    return toRules(allowed(itemsOf(this.#from, this.#side)));
  }

  toMatcher(): MatcherTree {
    if (this.#callers) return toMatcher(this.#withCallers(callerEntries(this.#callers)));
    return toMatcher(this.#form === 'list' ? this.#asList() : this.#asTrees());
  }

  /** What permissions allow opens nothing: only their denies are asked, between the two maps of callers. */
  #withCallers({ vetoes, verdicts }: CallerEntries): OnMatch {
    const known = entriesBefore(verdicts, this.#form, this.#unknown);
    return entriesBefore(vetoes, this.#form, this.#form === 'list' ? this.#denyList(known) : this.#denyTrees(known));
  }

  /** A client with several SANs gets past the deny maps: the denials are asked about it one by one. */
  #denyTrees(rest: OnMatch): OnMatch {
    return this.#deny.before(firstOf([...this.#several(), ...this.#cases], rest));
  }

  #denyList(rest: OnMatch): OnMatch {
    const rules = this.#denials(this.#applied);
    const all = rules.findLast(({ spiffeId, condition }) => !spiffeId && !condition);
    return all ? actBy(all.by, 'DENY') : firstOf([...toCases(rules, 'DENY', hasId), ...this.#cases], rest);
  }

  /** A client with several SANs gets past the deny maps. It can't get in further down, unless `from` lets it in. */
  #asTrees(): OnMatch {
    return this.#deny.before(firstOf([...this.#several(), ...this.#cases, ONE_IDENTITY], this.#allow.before(NOBODY_ALLOWS)));
  }

  #several(): MatchCase[] {
    const denials = this.#cases.length === 0 ? [] : toCases(this.#denials(this.#applied), 'DENY', hasId);
    return denials.length === 0 ? [] : [{ predicate: SEVERAL, onMatch: firstOf(denials) }];
  }

  #fromCases(): MatchCase[] {
    const items = itemsOf(this.#from, this.#side);
    return this.#callers ? fromCase(denied(items), 'DENY') : fromCases(items, this.#lists > 0);
  }

  #asList(): OnMatch {
    const allowances = toCases(this.#allowances(this.#applied), 'ALLOW', isId);
    return this.#denyList(firstOf([ONE_IDENTITY, ...allowances], NOBODY_ALLOWS));
  }

  #denials(applied: readonly RegionPermission[]): MatcherRule[] {
    return applied.flatMap((one) => denyRules(one, this.#side, this.#protocol));
  }

  #allowances(applied: readonly RegionPermission[]): MatcherRule[] {
    return applied.flatMap((one) => allowRules(one, this.#side, this.#protocol));
  }
}

function count(applied: readonly RegionPermission[], is: (mtp: RegionPermission['mtp']) => boolean): number {
  return applied.reduce((sum, { mtp }) => sum + (is(mtp) ? 1 : 0), 0);
}

function hasLists(mtp: RegionPermission['mtp']): boolean {
  return listsOf(mtp) !== undefined;
}

function hasItems(mtp: RegionPermission['mtp']): boolean {
  return fromItemsOf(mtp).length > 0;
}

/** What `from` decides: all by itself, or beside lists. */
function fromCases(items: readonly RbacFromItem[], lists: boolean): MatchCase[] {
  const { deny, allow } = lists ? beside(items) : { deny: undefined, allow: allowed(items) };
  return [...fromCase(deny, 'DENY'), ...fromCase(allow, 'ALLOW')];
}

function fromCase(formula: Formula | undefined, effect: RbacEffect): MatchCase[] {
  return formula ? [{ predicate: toPredicate(formula), onMatch: act(effect, REASON.from) }] : [];
}

/** Rules as a list, the last first. What asks for nothing is no case. */
function toCases(rules: readonly MatcherRule[], effect: RbacEffect, means: (id: StringMatch) => Predicate): MatchCase[] {
  const cases = rules.flatMap(({ spiffeId, condition, by }) => {
    const [first, ...others] = [...(spiffeId ? [means(spiffeId)] : []), ...(condition ? [condition] : [])];
    return first ? [{ predicate: allOf([first, ...others]), onMatch: actBy(by, effect) }] : [];
  });
  return cases.reverse();
}
