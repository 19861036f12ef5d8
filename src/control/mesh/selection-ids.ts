import type { CallerMap } from '../../policy/callers/caller-verdicts.ts';
import type { Policy } from '../../policy/match/policy.ts';
import type { SelectingPolicy } from '../../policy/match/select-policies.ts';

/** Numbers things from 0 in the order in which they come; the same thing has the same number each time. */
export function numbering<T>(): (one: T) => number {
  const numbers = new Map<T, number>();
  return (one) => {
    const number = numbers.get(one) ?? numbers.size;
    numbers.set(one, number);
    return number;
  };
}

/**
 * Gives a text that is equal for two inbounds which the same permissions select in the same way, and of whose callers
 * access policies decide the same: where they are the same objects.
 *
 *   permissions a, b, then b, then a, b, all without access policies  ->  '0,0,1', '0,1', '0,0,1'
 */
export function createSelectionIds(): (matches: readonly SelectingPolicy[], callers: CallerMap | undefined) => string {
  const [ofPolicy, ofCallers] = [numbering<Policy>(), numbering<CallerMap | undefined>()];
  return (matches, callers) =>
    matches.reduce((text, { policy, via }) => `${text},${ofPolicy(policy)}${via ? JSON.stringify(via) : ''}`, `${ofCallers(callers)}`);
}
