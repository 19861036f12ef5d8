import { looksHashed } from '../../naming/hash-name.ts';
import { staysHome } from '../../policy/policy-role.ts';
import type { Policy } from '../../policy/match/policy.ts';
import { labelsOf, SERVICE_TAG } from '../../policy/match/proxy-tags.ts';
import type { Inbound, Proxy } from '../../policy/match/read-proxy.ts';

/** What a policy that may select any proxy asks for. */
const ANYTHING = 'anything';

/**
 * Policies by what their targetRefs ask of a proxy: who wants to know which of many select an inbound need not ask
 * each. One of several tags or labels is enough to find those that may have all.
 *
 *   Dataplane {labels: {app: web}}   is asked about proxies with that label alone
 *   MeshService {name: web}          is asked about every proxy: what it selects depends on services
 */
export class PolicyIndex {
  readonly #byTerm = new Map<string, Policy[]>();

  constructor(policies: Iterable<Policy>) {
    for (const policy of policies) {
      const term = termOf(policy);
      const known = this.#byTerm.get(term);
      if (known) known.push(policy);
      else this.#byTerm.set(term, [policy]);
    }
  }

  /** Those among which all are that select the inbound (`matchInbound`). */
  maySelect({ dataplane }: Proxy, { tags }: Inbound): ReadonlySet<Policy> {
    const { zone, namespace, name } = dataplane.key;
    const pairs = (what: string, given: Readonly<Record<string, string>>) =>
      Object.entries(given).map(([key, value]) => `${what} ${key}=${value}`);
    const asks = [ANYTHING, `name ${name}`, ...pairs('tag', tags), ...pairs('label', labelsOf(dataplane))];
    const found = new Set<Policy>();
    for (const ask of asks) {
      for (const policy of this.#byTerm.get(ask) ?? []) found.add(policy);
      for (const policy of this.#byTerm.get(atHome(zone, namespace, ask)) ?? []) found.add(policy);
    }
    return found;
  }
}

const terms = new WeakMap<Policy, string>();

function termOf(policy: Policy): string {
  const { zone, namespace } = policy.resource.key;
  const term = terms.get(policy) ?? (staysHome(policy.role) ? atHome(zone, namespace, askOf(policy)) : askOf(policy));
  terms.set(policy, term);
  return term;
}

/** Consumers and workload owners touch proxies of their own zone and namespace alone (`mayTouch`). */
function atHome(zone: string, namespace: string, ask: string): string {
  return `home ${zone} ${namespace} ${ask}`;
}

function askOf({ explicit: ref }: Policy): string {
  switch (ref?.kind) {
    case 'Dataplane':
      if (ref.labels) return firstOf('label', ref.labels);
      // A name that looks hashed may be that of a copy.
      return ref.name === undefined || looksHashed(ref.name) ? ANYTHING : `name ${ref.name}`;
    case 'MeshSubset':
      return firstOf('tag', ref.tags ?? {});
    case 'MeshServiceSubset':
      return ref.name === undefined ? ANYTHING : `tag ${SERVICE_TAG}=${ref.name}`;
    // What can't be read, what is for all, and what leads by way of services, gateways and routes.
    case undefined:
    case 'Mesh':
    case 'MeshService':
    case 'MeshGateway':
    case 'MeshHTTPRoute':
    case 'MeshTCPRoute':
    case 'MeshGatewayRoute':
      return ANYTHING;
  }
}

function firstOf(what: string, wanted: Readonly<Record<string, string>>): string {
  const [first] = Object.entries(wanted);
  return first ? `${what} ${first[0]}=${first[1]}` : ANYTHING;
}
