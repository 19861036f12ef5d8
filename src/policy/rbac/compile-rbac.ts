import type { JsonObject } from '../../resource/resource.ts';
import type { Permission } from '../decide/read-permissions.ts';
import { DecisionRbac } from './decision-tree.ts';
import { firstOf, type MatcherTree, toMatcher, typed } from './envoy-matchers.ts';
import type { CallerMap } from '../callers/caller-verdicts.ts';
import type { DecidedRegion } from './region-places.ts';
import { everything, type Region, regionsOf } from './request-regions.ts';
import type { SideTarget } from './rbac-side.ts';

export interface CompileTarget extends SideTarget {
  /** What the names of the filter's metrics begin with, on TCP. */
  readonly statPrefix: string;
}

/** All of it is proto3 JSON, the filters with their `@type`. */
export interface CompiledRbac {
  /**
   * The RBAC filter of the inbound's listener, of HTTP or of the network. Never absent: no filter would allow
   * everything.
   */
  readonly filter: JsonObject;
  /**
   * On HTTP: routes (RouteMatch) to put in this order before all others, with the RBAC that replaces the filter there.
   */
  readonly routes: readonly { readonly match: JsonObject; readonly rbac: JsonObject }[];
  /** The filter for a listener that isn't ours, and has no such routes: the whole decision in one. */
  readonly alone: JsonObject;
}

const HTTP_RBAC = 'envoy.extensions.filters.http.rbac.v3.RBAC';
const NETWORK_RBAC = 'envoy.extensions.filters.network.rbac.v3.RBAC';

/**
 * Compiles what decides one inbound to Envoy's RBAC (docs/design/access.md#lists-as-trees). It must agree with
 * `evaluate`. Lists become trees, `from` alone becomes rules; nothing at all becomes rules that allow nobody. What
 * routes are targeted divides the requests, and each part gets the complete decision, since in Envoy a route's RBAC
 * replaces the listener's.
 *
 *   no permissions            ->  {rules: {}}: everything is denied
 *   allow: [Exact spiffe://td/a]  ->  {matcher: {matcherTree: {exactMatchMap: {map: {'spiffe://td/a': ALLOW}}},
 *                                                onNoMatch: DENY}, ...}
 */
export class InboundRbac {
  readonly #target: CompileTarget;
  #decisions: ReadonlyMap<string, DecisionRbac> = new Map();

  constructor(target: CompileTarget) {
    this.#target = target;
  }

  /**
   * In: the permissions of the inbound, in order (`readPermissions`), and what access policies decide about callers, if
   * any selects the inbound. A permission whose `mtp` is the same object as last time is not compiled again.
   * Out: the RBAC, which never changes; it shares objects with the last result. Throws
   * `too_large` when its rules come to more than can be sent: then begin anew.
   */
  compile(permissions: readonly Permission[], callers?: CallerMap): CompiledRbac {
    const known = callers?.size ?? 0;
    const regions = this.#target.protocol === 'http' ? regionsOf(permissions, known) : [everything(permissions, known)];
    const decisions = new Map<DecidedRegion, DecisionRbac>();
    for (const { decided } of regions) if (!decisions.has(decided)) decisions.set(decided, this.#decide(decided, callers));
    this.#decisions = new Map([...decisions].map(([{ name }, decision]) => [name, decision]));
    const parts = regions.flatMap((region) => {
      const decision = decisions.get(region.decided);
      return decision ? [{ region, decision }] : [];
    });
    const filters = new Map([...new Set(decisions.values())].map((decision) => [decision, this.#filter(decision.toFields())]));
    const filterOf = (decision: DecisionRbac | undefined): JsonObject => (decision && filters.get(decision)) ?? this.#filter({ rules: {} });
    const filter = filterOf(parts.at(-1)?.decision);
    if (parts.length === 1) return { filter, routes: [], alone: filter };
    const routes = parts.flatMap(({ region, decision }) => region.routes.map((match) => ({ match, rbac: filterOf(decision) })));
    return { filter, routes, alone: this.#filter(together(parts)) };
  }

  #decide({ name, applied }: DecidedRegion, callers: CallerMap | undefined): DecisionRbac {
    const decision = this.#decisions.get(name) ?? new DecisionRbac(this.#target);
    decision.update(applied, callers);
    return decision;
  }

  #filter(fields: JsonObject): JsonObject {
    const { protocol, statPrefix } = this.#target;
    return protocol === 'http' ? typed(HTTP_RBAC, fields) : typed(NETWORK_RBAC, { statPrefix, ...fields });
  }
}

interface RegionDecision {
  readonly region: Region;
  readonly decision: DecisionRbac;
}

/** The decision about each region, where no routes tell them apart. */
function together(parts: readonly RegionDecision[]): JsonObject {
  const matchers = new Map([...new Set(parts.map(({ decision }) => decision))].map((decision) => [decision, decision.toMatchers()]));
  const decided = parts.flatMap(({ region: { predicate }, decision }) => {
    const both = matchers.get(decision);
    return both ? [{ predicate, ...both }] : [];
  });
  const on = (pick: (both: (typeof decided)[number]) => MatcherTree): MatcherTree => {
    const cases = decided.flatMap((both) => (both.predicate ? [{ predicate: both.predicate, onMatch: { matcher: pick(both) } }] : []));
    const rest = decided.find(({ predicate }) => !predicate);
    return toMatcher(firstOf(cases, rest && { matcher: pick(rest) }));
  };
  const matcher = on(({ enforced }) => enforced);
  if (decided.every(({ shadow }) => shadow === undefined)) return { matcher };
  return { matcher, shadowMatcher: on(({ enforced, shadow }) => shadow ?? enforced) };
}
