import type { Applied, Rule } from './applied.js';
import { act, type Case, type Effect, firstOf, type OnMatch } from './envoy.js';

/** A rule and the text of a map under which it stands. */
export type Entry = readonly [text: string, rule: Rule];

/**
 * A map of Envoy's, and the rules that each of its entries is made of. A change writes the entries that it touches anew, into the same
 * object: copying one with 10,000 entries takes longer than all the rest.
 */
export class Entries {
  readonly map: Record<string, OnMatch> = {};
  readonly #rules = new Map<string, Rule[]>();
  readonly #effect: Effect;

  constructor(effect: Effect) {
    this.#effect = effect;
  }

  get isEmpty(): boolean {
    return this.#rules.size === 0;
  }

  /** Takes entries out, by the permissions that their rules are of, and others in. */
  change(gone: ReadonlySet<Applied>, out: readonly Entry[], into: readonly Entry[]): void {
    for (const text of new Set(out.map(([text]) => text))) {
      this.#rules.set(
        text,
        (this.#rules.get(text) ?? []).filter(({ by }) => !gone.has(by)),
      );
    }
    for (const [text, rule] of into) {
      const rules = this.#rules.get(text);
      if (rules) rules.push(rule);
      else this.#rules.set(text, [rule]);
    }
    for (const text of new Set([...out, ...into].map(([text]) => text))) this.#write(text);
  }

  #write(text: string): void {
    const rules = this.#rules.get(text) ?? [];
    const onMatch = onRules(rules.sort(inOrder), this.#effect);
    if (onMatch) this.map[text] = onMatch;
    else {
      this.#rules.delete(text);
      delete this.map[text];
    }
  }
}

/** In the order of their permissions; a permission's own stay as they are. */
export function inOrder(a: Rule, b: Rule): number {
  return a.by.place - b.by.place;
}

/** What rules for the same identity come to: one without a condition suffices; else the last that holds. undefined: there are none. */
export function onRules(rules: readonly Rule[], effect: Effect): OnMatch | undefined {
  const whole = rules.findLast(({ condition }) => condition === undefined);
  if (whole) return act(effect, whole.by.kri);
  return rules.length === 0 ? undefined : firstOf(casesOf(rules, effect));
}

/** The last comes first. */
function casesOf(rules: readonly Rule[], effect: Effect): Case[] {
  return rules.flatMap(({ condition, by }) => (condition ? [{ predicate: condition, onMatch: act(effect, by.kri) }] : [])).reverse();
}
