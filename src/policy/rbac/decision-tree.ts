import { formatKri, sameKey } from '../../resource/key.ts';
import type { JsonObject } from '../../resource/resource.ts';
import type { Permission } from '../decide/read-permissions.ts';
import { type RegionPermission, speaksOfShadow } from './applied-permissions.ts';
import type { MatcherTree } from './envoy-matchers.ts';
import type { CallerMap } from '../callers/caller-verdicts.ts';
import type { AppliedHere } from './region-places.ts';
import { SideRbac, type SideTarget } from './rbac-side.ts';

/**
 * The complete decision about some of an inbound's requests. It keeps what it was made of: what is compiled again is
 * what differs.
 */
export class DecisionRbac {
  readonly #target: SideTarget;
  readonly #enforced: SideRbac;
  /** Where nothing speaks of a shadow, it is what is enforced. */
  #shadow: SideRbac | undefined;
  #speakers = 0;
  #applied: readonly RegionPermission[] = [];
  #callers: CallerMap | undefined;

  constructor(target: SideTarget) {
    this.#target = target;
    this.#enforced = new SideRbac('enforced', target);
  }

  /**
   * In: those of the inbound's permissions that are about these requests, in order, and what access policies decide
   * about callers, if any selects the inbound.
   */
  update(now: readonly AppliedHere[], callers: CallerMap | undefined): void {
    const { all, out, into } = change(this.#applied, now);
    if (out.length === 0 && into.length === 0 && callers === this.#callers) return;
    for (let place = 0; place < all.length; place++) {
      const applied = all[place];
      if (applied) applied.place = place;
    }
    this.#applied = all;
    this.#callers = callers;
    this.#enforced.change(out, into, all, callers);
    this.#speakers += into.filter(speaksOfShadow).length - out.filter(speaksOfShadow).length;
    this.#updateShadow(out, into);
  }

  #updateShadow(out: readonly RegionPermission[], into: readonly RegionPermission[]): void {
    if (this.#speakers === 0) this.#shadow = undefined;
    else if (this.#shadow) this.#shadow.change(out, into, this.#applied, this.#callers);
    else {
      this.#shadow = new SideRbac('shadow', this.#target);
      this.#shadow.change([], this.#applied, this.#applied, this.#callers);
    }
  }

  /**
   * What an RBAC says. Where `from` alone decides these are rules, in which Envoy compares with each SAN for itself.
   * Without a shadow of its own it says none.
   */
  toFields(): JsonObject {
    if (!this.#enforced.isFromAlone) {
      const { enforced, shadow } = this.toMatchers();
      return { matcher: enforced, ...(shadow ? { shadowMatcher: shadow } : {}) };
    }
    return { rules: this.#enforced.toRules(), ...(this.#shadow ? { shadowRules: this.#shadow.toRules() } : {}) };
  }

  /** The same as matchers, whatever it was made of. The shadow undefined: it is what is enforced. */
  toMatchers(): { readonly enforced: MatcherTree; readonly shadow: MatcherTree | undefined } {
    return { enforced: this.#enforced.toMatcher(), shadow: this.#shadow?.toMatcher() };
  }
}

interface DecisionChange {
  readonly all: readonly RegionPermission[];
  readonly out: readonly RegionPermission[];
  readonly into: readonly RegionPermission[];
}

/** What differs lies between what is the same at the beginning and at the end. The same stays the same object. */
function change(before: readonly RegionPermission[], now: readonly AppliedHere[]): DecisionChange {
  const isSame = (applied: RegionPermission | undefined, here: AppliedHere | undefined): boolean =>
    applied !== undefined && here !== undefined && isOf(applied, here.permission) && applied.certain === here.certain;
  const shorter = Math.min(before.length, now.length);
  let start = 0;
  while (start < shorter && isSame(before[start], now[start])) start++;
  let end = 0;
  while (end < shorter - start && isSame(before[before.length - 1 - end], now[now.length - 1 - end])) end++;
  const into = now.slice(start, now.length - end).map(({ permission, certain }) => toApplied(permission, certain));
  const all = before.slice(0, start).concat(into, before.slice(before.length - end));
  return { all, out: before.slice(start, before.length - end), into };
}

/** What was read once is one object, so that this need not look into it. */
function isOf(applied: RegionPermission, { key, mtp }: Permission): boolean {
  return applied.mtp === mtp && (applied.key === key || sameKey(applied.key, key));
}

function toApplied({ key, mtp }: Permission, certain: boolean): RegionPermission {
  return { key, mtp, certain, kri: formatKri(key), acts: {}, place: 0 };
}
