import type { Permission } from '../../policy/decide/read-permissions.ts';
import type { Policy } from '../../policy/match/policy.ts';

export type SelectedPermission = Permission | undefined;

/** Which permissions decide an inbound. */
export interface InboundSelection {
  /** All of the mesh, in order. */
  readonly policies: readonly Policy[];
  /** What each of them is for the inbound. */
  readonly found: readonly SelectedPermission[];
  /** Those that are anything. */
  readonly permissions: readonly Permission[];
}

/** From one selection to the next: what is found between so many that stay at the start and at the end. */
export interface SelectionStep {
  readonly start: number;
  readonly end: number;
  readonly found: readonly SelectedPermission[];
}

/** How many next ones are remembered of a selection. */
const STEPS = 4;

export const NOTHING_SELECTED: InboundSelection = { policies: [], found: [], permissions: [] };

/**
 * The selections of the inbounds of a mesh: one object for all that the same permissions select, so that it is compiled
 * once, and kept once. Only those of the latest list of policies are looked up; inbounds that are behind keep theirs.
 */
export class InboundSelections {
  #policies: readonly Policy[] = NOTHING_SELECTED.policies;
  #byNumbers = new Map<number, InboundSelection[]>();
  #steps = new WeakMap<InboundSelection, readonly (SelectionStep & { readonly after: InboundSelection })[]>();
  readonly #numbers = new WeakMap<Permission, number>();
  #count = 0;

  /** What comes after `before`. Its permissions are the same list if they are the same. */
  after(before: InboundSelection, policies: readonly Policy[], step: SelectionStep): InboundSelection {
    if (this.#policies !== policies) [this.#policies, this.#byNumbers, this.#steps] = [policies, new Map(), new WeakMap()];
    const steps = this.#steps.get(before) ?? [];
    const known = steps.find(({ start, end, found }) => start === step.start && end === step.end && isSame(found, step.found));
    if (known) return known.after;
    const { start, end } = step;
    const found = before.found.slice(0, start).concat(step.found, before.found.slice(before.found.length - end));
    const after = this.#of(before, policies, found);
    this.#steps.set(before, [{ ...step, after }, ...steps].slice(0, STEPS));
    return after;
  }

  #of(before: InboundSelection, policies: readonly Policy[], found: InboundSelection['found']): InboundSelection {
    const id = found.reduce((sum, one) => sum + (one ? this.#number(one) : 0), 0);
    const alike = this.#byNumbers.get(id) ?? [];
    const known = alike.find((one) => isSame(one.found, found));
    if (known) return known;
    const permissions = found.filter((one) => one !== undefined);
    const made = { policies, found, permissions: isSame(before.permissions, permissions) ? before.permissions : permissions };
    this.#byNumbers.set(id, [...alike, made]);
    return made;
  }

  /** Spread, so that few sets have one sum. */
  #number(permission: Permission): number {
    const number = this.#numbers.get(permission) ?? Math.imul(++this.#count, 0x9e37_79b1) >>> 0;
    this.#numbers.set(permission, number);
    return number;
  }
}

function isSame(one: readonly SelectedPermission[], other: readonly SelectedPermission[]): boolean {
  return one.length === other.length && one.every((permission, index) => permission === other[index]);
}
