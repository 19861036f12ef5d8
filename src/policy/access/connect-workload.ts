import { type Attributes, destinationAttributes } from './attributes.ts';
import { type Balancing, type BalancingPolicy, type Candidate, type Choice, narrowCandidates } from './balance-sites.ts';
import type { Binding } from './import-bindings.ts';
import { type AccessDecision, deciderFor } from './decide-access.ts';
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
  /** Which site may be picked; among none, where no site may serve it. */
  readonly choice: Choice;
  /** What was decided for each binding of a known site, in the order of `bound`. */
  readonly decided: readonly (Candidate & { readonly decision: AccessDecision })[];
}

/**
 * The client's side (docs/design/attributes.md#who-knows-what): access policies leave the sites that are allowed, load
 * balancing picks one of them. A binding of a site that isn't known is skipped: what is absent would match `NotIn` and
 * `DoesNotExist`.
 */
export function connect({ policies, balancing, bound, sites }: ImportContext, by: Pick<Balancing, 'source' | 'namespace'>): ImportDecision {
  const decide = deciderFor(policies, by.source, by.namespace);
  const decided = bound.flatMap((binding) => {
    const site = sites.get(binding.key.zone);
    if (!site) return [];
    const destination = destinationAttributes(binding.service, site);
    return [{ binding, destination, decision: decide(destination) }];
  });
  const allowed = decided.filter(({ decision }) => decision.allowed);
  return { choice: narrowCandidates(balancing, allowed, by), decided };
}
