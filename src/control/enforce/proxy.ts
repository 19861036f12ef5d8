import { isDeepStrictEqual } from 'node:util';
import type { Permission } from '../../policy/decide/permissions.js';
import type { Inbound } from '../../policy/match/proxy.js';
import { InboundRbac } from '../../policy/rbac/compile.js';
import type { Placed } from './place.js';
import type { InboundRules, Place, ProxyRules } from './rules.js';

/** An inbound with what decides it, in order; or why it is not served. */
export type Decided = { readonly place: Place; readonly permissions: readonly Permission[] } | { readonly problem: string };

/** What one proxy enforces, compiled again as far as it changed. */
export class ProxyCompiler {
  #given: readonly Decided[] = [];
  #rules: ProxyRules | undefined;
  #compilers = new Map<string, InboundRbac>();

  /** The same object as last time if nothing changed. It shares with what came out before, and changes it: use it before the next call. */
  compile(given: readonly Decided[]): ProxyRules {
    if (this.#rules && isSame(this.#given, given)) return this.#rules;
    const compilers = new Map<string, InboundRbac>();
    const inbounds = given.flatMap((one, index) => ('place' in one ? [this.#inbound(one.place, one.permissions, index, compilers)] : []));
    const problems = given.flatMap((one) => ('problem' in one ? [one.problem] : []));
    this.#compilers = compilers;
    this.#given = given;
    this.#rules = { inbounds, problems };
    return this.#rules;
  }

  #inbound(place: Place, permissions: readonly Permission[], index: number, compilers: Map<string, InboundRbac>): InboundRules {
    const protocol = place.protocol === 'tcp' ? 'tcp' : 'http';
    const id = `${index} ${protocol} ${place.name}`;
    // Envoys that are too old for trees are refused by the xDS server.
    const compiler = this.#compilers.get(id) ?? new InboundRbac({ protocol, form: 'trees', statPrefix: `rbac:${place.name}` });
    compilers.set(id, compiler);
    const { alone, routes } = compiler.compile(permissions);
    return { ...place, rbac: alone, routes };
  }
}

/** Puts to each inbound that has a place what decides it. */
export function decided(placed: readonly Placed[], permissionsOf: (inbound: Inbound) => readonly Permission[]): Decided[] {
  return placed.map((one) => ('problem' in one ? one : { place: one.place, permissions: permissionsOf(one.inbound) }));
}

/** What was read once is one object: a look at it suffices. */
function isSame(before: readonly Decided[], now: readonly Decided[]): boolean {
  return before.length === now.length && now.every((one, index) => isSameInbound(before[index], one));
}

function isSameInbound(before: Decided | undefined, now: Decided): boolean {
  if (!before || 'problem' in before || 'problem' in now) return isDeepStrictEqual(before, now);
  const { permissions } = before;
  if (!isDeepStrictEqual(before.place, now.place) || permissions.length !== now.permissions.length) return false;
  return now.permissions.every(({ key, mtp, via }, index) => {
    const other = permissions[index];
    return other?.mtp === mtp && isDeepStrictEqual([other.key, other.via], [key, via]);
  });
}
