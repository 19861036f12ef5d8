import { type RegionPermission, actBy, type MatcherRule } from './applied-permissions.ts';
import { type MatchCase, type RbacEffect, firstOf, type OnMatch } from './envoy-matchers.ts';

/**
 * A map of Envoy's, and the rules that each of its entries is made of. A change writes the entries that it touches
 * anew, into the same object: copying one with 10,000 entries takes longer than all the rest.
 */
export class MatcherEntries {
  readonly map: Record<string, OnMatch> = {};
  readonly #rules = new Map<string, MatcherRule[]>();
  readonly #touched = new Set<string>();
  readonly #effect: RbacEffect;

  constructor(effect: RbacEffect) {
    this.#effect = effect;
  }

  get isEmpty(): boolean {
    return this.#rules.size === 0;
  }

  /** Removes what the removed permissions say of a text. */
  remove(text: string, gone: ReadonlySet<RegionPermission>): void {
    if (this.#touched.has(text)) return;
    const rules = this.#rules.get(text) ?? [];
    this.#rules.set(
      text,
      rules.filter(({ by }) => !gone.has(by)),
    );
    this.#touched.add(text);
  }

  add(text: string, rule: MatcherRule): void {
    const rules = this.#rules.get(text);
    if (rules) rules.push(rule);
    else this.#rules.set(text, [rule]);
    this.#touched.add(text);
  }

  /** Ends a change. */
  write(): void {
    for (const text of this.#touched) this.#write(text);
    this.#touched.clear();
  }

  #write(text: string): void {
    const rules = this.#rules.get(text) ?? [];
    const onMatch = onRules(rules.length > 1 ? rules.sort(inOrder) : rules, this.#effect);
    if (onMatch) this.map[text] = onMatch;
    else {
      this.#rules.delete(text);
      delete this.map[text];
    }
  }
}

/** In the order of their permissions; a permission's own stay as they are. */
export function inOrder(a: MatcherRule, b: MatcherRule): number {
  return a.by.place - b.by.place;
}

/**
 * The result of all rules for one identity: a rule without a condition suffices; else the last one that holds.
 * undefined: there is no rule.
 */
export function onRules(rules: readonly MatcherRule[], effect: RbacEffect): OnMatch | undefined {
  const whole = rules.findLast(isWhole);
  if (whole) return actBy(whole.by, effect);
  return rules.length === 0 ? undefined : firstOf(casesOf(rules, effect));
}

function isWhole({ condition }: MatcherRule): boolean {
  return condition === undefined;
}

/** The last comes first. */
function casesOf(rules: readonly MatcherRule[], effect: RbacEffect): MatchCase[] {
  return rules.flatMap(({ condition, by }) => (condition ? [{ predicate: condition, onMatch: actBy(by, effect) }] : [])).reverse();
}
