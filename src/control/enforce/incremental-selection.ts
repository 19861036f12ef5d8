import type { Permission } from '../../policy/decide/read-permissions.ts';
import type { Policy } from '../../policy/match/policy.ts';
import {
  NOTHING_SELECTED,
  type InboundSelection,
  type SelectedPermission,
  type InboundSelections,
  type SelectionStep,
} from './inbound-selections.ts';

/** Above how many policies an index is asked which of them to match. */
const FEW = 50;

/**
 * The permissions that decide an inbound. A policy that is the same object as last time is not matched again.
 *
 *   a b c d, then a x c d            ->  x is matched
 *   a b c d, and c may be another    ->  c is matched
 */
export class IncrementalSelection {
  readonly #all: InboundSelections;
  #now: InboundSelection = NOTHING_SELECTED;

  /** `all`: those of the inbounds of a mesh. */
  constructor(all: InboundSelections) {
    this.#all = all;
  }

  /**
   * In: all permissions of the mesh, in order, and what one is for the inbound, if it is anything. `mayDiffer`: those
   * that may be something else for it than last time, though they are the same. `maySelect`: those among which all are
   * that are anything; it is asked where many are to be matched. Out: the same list if nothing changed, and for all
   * inbounds of the mesh that the same permissions decide.
   */
  among(
    policies: readonly Policy[],
    match: (policy: Policy) => SelectedPermission,
    maySelect: () => ReadonlySet<Policy>,
    mayDiffer?: (policy: Policy) => boolean,
  ): readonly Permission[] {
    const before = this.#now;
    const known = mayDiffer ? matchAgain(before, match, mayDiffer) : before.found;
    if (before.policies === policies && known === before.found) return before.permissions;
    const from = known === before.found ? before : { ...before, found: known };
    this.#now = this.#all.after(from, policies, between(from, policies, match, maySelect));
    return this.#now.permissions;
  }
}

/** What differs between the policies of before and those of now lies between what is the same at both ends. */
function between(
  { policies: before, found: known }: InboundSelection,
  now: readonly Policy[],
  match: (policy: Policy) => SelectedPermission,
  maySelect: () => ReadonlySet<Policy>,
): SelectionStep {
  const shorter = Math.min(before.length, now.length);
  let start = 0;
  while (start < shorter && before[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === now[now.length - 1 - end]) end++;
  const stay = new Map(before.slice(start, before.length - end).map((policy, index) => [policy, known[start + index]]));
  const many = now.length - end - start > FEW ? maySelect() : undefined;
  const found = now.slice(start, now.length - end).map((policy) => {
    if (stay.has(policy)) return stay.get(policy);
    return many && !many.has(policy) ? undefined : match(policy);
  });
  return { start, end, found };
}

/** The same list where all is as it was. */
function matchAgain(
  { policies, found: before }: InboundSelection,
  match: (policy: Policy) => SelectedPermission,
  mayDiffer: (policy: Policy) => boolean,
): InboundSelection['found'] {
  const now = policies.map((policy, index) => (mayDiffer(policy) ? match(policy) : before[index]));
  return now.every((one, index) => one === before[index]) ? before : now;
}
