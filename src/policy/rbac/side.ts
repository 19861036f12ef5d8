import type { Side } from '../decide/evaluate.js';
import type { Subject } from '../decide/request.js';
import type { StringMatch } from '../../resource/mtp.js';
import { type Applied, allowRules, denyRules, type Rule } from './applied.js';
import { act, allOf, type Case, type Effect, firstOf, type MatcherTree, type OnMatch, type Predicate, toMatcher } from './envoy.js';
import { allowed, beside, type Formula, itemsOf } from './from.js';
import { Identities } from './identities.js';
import { toPredicate } from './principals.js';
import { hasId, isId, NOT_ONE, SEVERAL } from './sans.js';

/** How an Envoy is told about lists: one that is too old for trees, or unknown, gets a plain list. */
export type Form = 'trees' | 'list';

/** What Envoy's logs call the reasons that are no single policy's. */
export const REASON = { nobody: 'nobody-allows', identities: 'not-one-identity', from: 'from' } as const;

const NOBODY_ALLOWS = act('DENY', REASON.nobody);
const ONE_IDENTITY: Case = { predicate: NOT_ONE, onMatch: act('DENY', REASON.identities) };

/**
 * The decision of one side as a matcher, in the order of `evaluate`. All denies come before any allow, since Envoy's map takes the longest
 * prefix, and a short deny must win over a long allow.
 *
 *   deny maps  ->  `from`: deny, allow  ->  not exactly one SAN: deny  ->  allow maps  ->  deny
 */
export class SideRbac {
  readonly #side: Side;
  readonly #protocol: Subject['protocol'];
  readonly #form: Form;
  readonly #deny = new Identities('DENY');
  readonly #allow = new Identities('ALLOW');

  constructor(side: Side, protocol: Subject['protocol'], form: Form) {
    this.#side = side;
    this.#protocol = protocol;
    this.#form = form;
  }

  /** What went and what came since the last time. */
  change(out: readonly Applied[], into: readonly Applied[]): void {
    if (this.#form === 'list') return;
    this.#deny.change(this.#denials(out), this.#denials(into));
    this.#allow.change(this.#allowances(out), this.#allowances(into));
  }

  /** `applied`: all that there is now. */
  toMatcher(applied: readonly Applied[]): MatcherTree {
    const from = fromCases(applied, this.#side);
    return toMatcher(this.#form === 'list' ? this.#asList(applied, from) : this.#asTrees(applied, from));
  }

  /** A client with several SANs gets past the deny maps. It can't get in further down, unless `from` lets it in. */
  #asTrees(applied: readonly Applied[], from: readonly Case[]): OnMatch {
    const denials = from.length === 0 ? [] : toCases(this.#denials(applied), 'DENY', hasId);
    const several = denials.length === 0 ? [] : [{ predicate: SEVERAL, onMatch: firstOf(denials) }];
    return this.#deny.before(firstOf([...several, ...from, ONE_IDENTITY], this.#allow.before(NOBODY_ALLOWS)));
  }

  #asList(applied: readonly Applied[], from: readonly Case[]): OnMatch {
    const rules = this.#denials(applied);
    const all = rules.findLast(({ spiffeId, condition }) => !spiffeId && !condition);
    if (all) return act('DENY', all.by.kri);
    const allowances = toCases(this.#allowances(applied), 'ALLOW', isId);
    return firstOf([...toCases(rules, 'DENY', hasId), ...from, ONE_IDENTITY, ...allowances], NOBODY_ALLOWS);
  }

  #denials(applied: readonly Applied[]): Rule[] {
    return applied.flatMap((one) => denyRules(one, this.#side, this.#protocol));
  }

  #allowances(applied: readonly Applied[]): Rule[] {
    return applied.flatMap((one) => allowRules(one, this.#side, this.#protocol));
  }
}

/** What `from` decides: all by itself, or beside lists. */
function fromCases(applied: readonly Applied[], side: Side): Case[] {
  const items = itemsOf(applied, side);
  const lists = applied.some(({ mtp }) => mtp.shape === 'spiffe');
  const { deny, allow } = lists ? beside(items) : { deny: undefined, allow: allowed(items) };
  return [...fromCase(deny, 'DENY'), ...fromCase(allow, 'ALLOW')];
}

function fromCase(formula: Formula | undefined, effect: Effect): Case[] {
  return formula ? [{ predicate: toPredicate(formula), onMatch: act(effect, REASON.from) }] : [];
}

/** Rules as a list, the last first. What asks for nothing is no case. */
function toCases(rules: readonly Rule[], effect: Effect, means: (id: StringMatch) => Predicate): Case[] {
  const cases = rules.flatMap(({ spiffeId, condition, by }) => {
    const [first, ...others] = [...(spiffeId ? [means(spiffeId)] : []), ...(condition ? [condition] : [])];
    return first ? [{ predicate: allOf([first, ...others]), onMatch: act(effect, by.kri) }] : [];
  });
  return cases.reverse();
}
