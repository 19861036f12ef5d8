import { type Attributes, destinationAttributes } from './attributes.ts';
import { type Balancing, type BalancingPolicy, type Candidate, pickCandidate } from './balance-sites.ts';
import type { Binding } from './import-bindings.ts';
import { type AccessDecision, decideAccess } from './decide-access.ts';
import type { AccessPolicy } from './access-policies.ts';

/** What the client's zone knows when a workload of its asks for an import. */
export interface ImportContext {
  readonly policies: readonly AccessPolicy[];
  readonly balancing: readonly BalancingPolicy[];
  readonly bound: readonly Binding[];
  /** The attributes of the sites, by zone. */
  readonly sites: ReadonlyMap<string, Attributes>;
}

export interface ImportDecision {
  /** undefined: no site may serve it. */
  readonly picked: Candidate | undefined;
  /** What was decided for each binding of a known site, in the order of `bound`. */
  readonly decided: readonly { readonly binding: Binding; readonly decision: AccessDecision }[];
}

/**
 * The client's side (docs/design/attributes.md#who-knows-what): access policies leave the sites that are allowed, load
 * balancing picks one of them. A binding of a site that isn't known is skipped: what is absent would match `NotIn` and
 * `DoesNotExist`.
 */
export function connect({ policies, balancing, bound, sites }: ImportContext, by: Balancing): ImportDecision {
  const { source, namespace } = by;
  const known = bound.flatMap((binding) => {
    const site = sites.get(binding.key.zone);
    return site ? [{ binding, destination: destinationAttributes(binding.service, site) }] : [];
  });
  const asked = known.map((candidate) => ({
    candidate,
    decision: decideAccess(policies, { source, destination: candidate.destination, namespace }),
  }));
  const allowed = asked.filter(({ decision }) => decision.allowed).map(({ candidate }) => candidate);
  return {
    picked: pickCandidate(balancing, allowed, by),
    decided: asked.map(({ candidate: { binding }, decision }) => ({ binding, decision })),
  };
}
