import type { Key } from '../../resource/key.ts';
import type { Attributes } from './attributes.ts';
import type { AccessPolicy } from './access-policies.ts';
import { forEachInBoth, indexSelections, type ManySelections } from './many-selections.ts';

/** One connection. */
export interface AccessQuestion {
  readonly source: Attributes;
  readonly destination: Attributes;
  /**
   * Whose policies are asked: on the client's side the import's namespace, on the server's the exported service's. '':
   * there are none.
   */
  readonly namespace: string;
}

export interface AccessDecision {
  readonly allowed: boolean;
  /** Whether a PrivilegedAccessPolicy decided. */
  readonly privileged: boolean;
  /** The policy that decided; of several that match, the first by KRI. undefined: none did. */
  readonly decidedBy: Key | undefined;
  /** Present and true where no policy decided: without an allow a connection is denied. */
  readonly default?: true;
  readonly reason: string;
  /** The shadow policies that match, whether they would allow or deny. */
  readonly matchedInShadow: readonly Key[];
}

/**
 * Decides a connection by policies in the order of `readAccessPolicies` (docs/design/attributes.md#deciding):
 * privileged deny, privileged allow, deny, allow, else deny. A caller of whom nothing is known is denied before any
 * policy is asked.
 *
 *   allow {} to {}, deny {k8s:ns: pay} to {}, asked for a workload of `pay`  ->  denied by the second
 */
export function decideAccess(policies: readonly AccessPolicy[], { source, destination, namespace }: AccessQuestion): AccessDecision {
  return deciderFor(policies, source, namespace)(destination);
}

/** The same for one caller and many destinations: what is not about the caller is looked at once. */
export function deciderFor(
  policies: readonly AccessPolicy[],
  source: Attributes,
  namespace: string,
): (destination: Attributes) => AccessDecision {
  if (source.size === 0) return () => denied('no attribute of the caller is known', []);
  const groups = groupsOf(policies, namespace).map(({ placed, from, to }) => ({ placed, about: from(source), to }));
  return (destination) => {
    let first: PlacedPolicy | undefined;
    const shadows: PlacedPolicy[] = [];
    for (const { placed, about, to } of groups) {
      forEachInBoth(about, to(destination), (bit) => {
        const one = placed[bit];
        if (!one) return;
        if (one.policy.shadow) shadows.push(one);
        else if (!first || one.place < first.place) first = one;
      });
    }
    const inShadow = shadows.sort((a, b) => a.place - b.place).map(({ policy }) => policy.key);
    return first ? decidedBy(first.policy, inShadow) : denied('no policy allows it', inShadow);
  };
}

/** A policy, and its place in the order in which policies decide. */
interface PlacedPolicy {
  readonly place: number;
  readonly policy: AccessPolicy;
}

/** The policies of one namespace ('': those for all), ready to be asked. */
interface PolicyGroup {
  readonly placed: readonly PlacedPolicy[];
  readonly from: ManySelections;
  readonly to: ManySelections;
}

/** Of lists of policies, which never change. */
const grouped = new WeakMap<readonly AccessPolicy[], ReadonlyMap<string, PolicyGroup>>();

/** Those that have a say in a namespace (`concerns`). */
function groupsOf(policies: readonly AccessPolicy[], namespace: string): PolicyGroup[] {
  const known = grouped.get(policies) ?? group(policies);
  grouped.set(policies, known);
  const [forAll, own] = [known.get(''), namespace === '' ? undefined : known.get(namespace)];
  return [...(forAll ? [forAll] : []), ...(own ? [own] : [])];
}

function group(policies: readonly AccessPolicy[]): ReadonlyMap<string, PolicyGroup> {
  const groups = new Map<string, PlacedPolicy[]>();
  for (const [place, policy] of policies.entries()) {
    const before = groups.get(policy.key.namespace);
    if (before) before.push({ place, policy });
    else groups.set(policy.key.namespace, [{ place, policy }]);
  }
  return new Map([...groups].map(([namespace, placed]) => [namespace, prepare(placed)]));
}

function prepare(placed: readonly PlacedPolicy[]): PolicyGroup {
  const [from, to] = [placed.map(({ policy }) => policy.from), placed.map(({ policy }) => policy.to)];
  return { placed, from: indexSelections(from), to: indexSelections(to) };
}

function decidedBy({ key, privileged, action }: AccessPolicy, matchedInShadow: readonly Key[]): AccessDecision {
  const allowed = action === 'allow';
  const reason = `${privileged ? 'a privileged policy' : 'a policy'} ${allowed ? 'allows' : 'denies'} it`;
  return { allowed, privileged, decidedBy: key, reason, matchedInShadow };
}

function denied(reason: string, matchedInShadow: readonly Key[]): AccessDecision {
  return { allowed: false, privileged: false, decidedBy: undefined, default: true, reason, matchedInShadow };
}
