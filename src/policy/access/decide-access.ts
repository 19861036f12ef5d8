import type { Key } from '../../resource/key.ts';
import type { Attributes } from './attributes.ts';
import { type AccessPolicy, concerns } from './access-policies.ts';
import { selects } from './attribute-selector.ts';

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
  const about = policies.filter(({ key, from }) => concerns(key, namespace) && selects(from, source));
  return (destination) => {
    const matching = about.filter(({ to }) => selects(to, destination));
    const shadows = matching.filter(({ shadow }) => shadow).map(({ key }) => key);
    const first = matching.find(({ shadow }) => !shadow);
    return first ? decidedBy(first, shadows) : denied('no policy allows it', shadows);
  };
}

function decidedBy({ key, privileged, action }: AccessPolicy, matchedInShadow: readonly Key[]): AccessDecision {
  const allowed = action === 'allow';
  const reason = `${privileged ? 'a privileged policy' : 'a policy'} ${allowed ? 'allows' : 'denies'} it`;
  return { allowed, privileged, decidedBy: key, reason, matchedInShadow };
}

function denied(reason: string, matchedInShadow: readonly Key[]): AccessDecision {
  return { allowed: false, privileged: false, decidedBy: undefined, default: true, reason, matchedInShadow };
}
