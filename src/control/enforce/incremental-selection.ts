import { isDeepStrictEqual } from 'node:util';
import type { Permission } from '../../policy/decide/read-permissions.ts';
import type { Policy } from '../../policy/match/policy.ts';

type SelectedPermission = Permission | undefined;

/**
 * The permissions that decide an inbound. A policy that is the same object as last time is not matched again.
 *
 *   a b c d, then a x c d            ->  x is matched
 *   a b c d, and c may be another    ->  c is matched
 */
export class IncrementalSelection {
  #policies: readonly Policy[] = [];
  #found: readonly SelectedPermission[] = [];
  #permissions: readonly Permission[] = [];

  /**
   * In: all permissions of the mesh, in order, and what one is for the inbound, if it is anything. `mayDiffer`: those
   * that may be something else for it than last time, though they are the same. The same list if nothing changed.
   */
  among(
    policies: readonly Policy[],
    match: (policy: Policy) => SelectedPermission,
    mayDiffer?: (policy: Policy) => boolean,
  ): readonly Permission[] {
    if (mayDiffer) this.#matchAgain(match, mayDiffer);
    const before = this.#policies;
    if (before === policies) return this.#permissions;
    const shorter = Math.min(before.length, policies.length);
    let start = 0;
    while (start < shorter && before[start] === policies[start]) start++;
    let end = 0;
    while (end < shorter - start && before[before.length - 1 - end] === policies[policies.length - 1 - end]) end++;
    const known = new Map(before.slice(start, before.length - end).map((policy, index) => [policy, this.#found[start + index]]));
    const between = policies.slice(start, policies.length - end).map((policy) => (known.has(policy) ? known.get(policy) : match(policy)));
    const found = this.#found.slice(0, start).concat(between, this.#found.slice(before.length - end));
    const isSame = found.length === this.#found.length && between.every((one, index) => one === this.#found[start + index]);
    this.#policies = policies;
    this.#found = found;
    if (!isSame) this.#permissions = found.filter((one) => one !== undefined);
    return this.#permissions;
  }

  #matchAgain(match: (policy: Policy) => SelectedPermission, mayDiffer: (policy: Policy) => boolean): void {
    let isSame = true;
    const found = this.#policies.map((policy, index) => {
      const before = this.#found[index];
      if (!mayDiffer(policy)) return before;
      const now = match(policy);
      if (before === now || (before && now && before.mtp === now.mtp && isDeepStrictEqual(before.via, now.via))) return before;
      isSame = false;
      return now;
    });
    if (isSame) return;
    this.#found = found;
    this.#permissions = found.filter((one) => one !== undefined);
  }
}
