import type { VerdictSide } from '../../resource/permission-actions.ts';
import type { CallerVerdict, CallerVerdicts } from '../callers/caller-verdicts.ts';
import { denial, evaluate, type Verdict } from './evaluate-permissions.ts';
import type { Permission } from './read-permissions.ts';
import type { RequestSubject } from './read-request.ts';

/** All that decides the requests of an inbound. */
export interface InboundDeciders {
  /** In order. */
  readonly permissions: readonly Permission[];
  /** undefined: no access policy selects the inbound, and permissions alone decide. */
  readonly callers: CallerVerdicts | undefined;
}

/**
 * Decides a request by the permissions and the access policies of an inbound, in this order
 * (docs/design/attributes.md#in-envoy): privileged deny, a permission's deny, privileged allow, deny, allow, else deny.
 * Permissions that allow open nothing where access policies select the inbound. Those are for a client with exactly one
 * URI SAN, the SPIFFE ID of a proxy of the zone.
 */
export function evaluateInbound({ permissions, callers }: InboundDeciders, subject: RequestSubject, side: VerdictSide): Verdict {
  if (!callers) return evaluate(permissions, subject, side);
  const verdict = verdictOn(callers, subject);
  if (verdict?.privileged && !verdict.allowed) return told(verdict);
  return denial(permissions, subject, side) ?? (verdict ? told(verdict) : unknown(subject));
}

function verdictOn(callers: CallerVerdicts, { sans: [id, ...others] }: RequestSubject): CallerVerdict | undefined {
  return id === undefined || others.length > 0 ? undefined : callers.get(id);
}

function told({ allowed, privileged, decidedBy, mixed }: CallerVerdict): Verdict {
  const shared = mixed ? ': of the proxies that share this identity, or the services that share this inbound, one is denied' : '';
  if (!decidedBy) return { action: 'Deny', decidedBy, reason: `no access policy allows it${shared}` };
  const reason = `${privileged ? 'a privileged access policy' : 'an access policy'} ${allowed ? 'allows' : 'denies'} it${shared}`;
  return { action: allowed ? 'Allow' : 'Deny', decidedBy, reason };
}

/** Access policies select the inbound, and who asks is nobody that they can be asked about. */
function unknown({ sans }: RequestSubject): Verdict {
  const reason =
    sans.length > 1
      ? 'access policies say who may enter here, and with several identities nobody can say who it is'
      : 'access policies say who may enter here, and no proxy of this zone has this identity: Envoy asks the zone about each call of other zones (ext_authz), and without a token that both zones agreed to it is denied';
  return { action: 'Deny', decidedBy: undefined, reason };
}
