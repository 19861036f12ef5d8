import { decideBy, type Decision } from '../../policy/decide/decide-request.ts';
import { type Permission, readPermissions } from '../../policy/decide/read-permissions.ts';
import type { Request } from '../../policy/decide/read-request.ts';
import type { Inbound, Proxy } from '../../policy/match/read-proxy.ts';
import type { SelectingPolicy } from '../../policy/match/select-policies.ts';
import { readable } from '../../resource/readable-text.ts';
import { whyCrowded } from './too-many-rules.ts';

/** What decides about requests at one inbound. */
export interface InboundGate {
  /** The decision whatever is asked: nobody gets in. */
  readonly shut: Decision | undefined;
  readonly permissions: readonly Permission[];
  readonly protocol: Inbound['protocol'];
  /** Whether it takes plain text: whoever shows no certificate gets in. */
  readonly takesPlaintext: boolean;
}

/** `matches`: the permissions that select the inbound. At gateways rules are not counted: we serve none. */
export function gateAt(proxy: Proxy, inbound: Inbound, matches: readonly SelectingPolicy[], takesPlaintext: boolean): InboundGate {
  const crowded = proxy.type === 'Gateway' ? undefined : whyCrowded(inbound, matches);
  return { shut: shutBy(crowded), permissions: readPermissions(matches), protocol: inbound.protocol, takesPlaintext };
}

const NOBODY = { decision: 'Deny', shadow: 'Deny', decidedBy: undefined, shadowDecidedBy: undefined, warnings: [] } as const;

/** Where nobody gets in, and why; undefined: there is no reason. */
export function shutBy(reason: string | undefined): Decision | undefined {
  return reason === undefined
    ? undefined
    : { ...NOBODY, reason: `nobody gets in at this inbound, whatever the policies say: ${readable(reason)}` };
}

/** In a zone that never had all that global has: denies may be missing. */
export const NOT_SCANNED: Decision = {
  ...NOBODY,
  reason: 'the first scan of what global has is not complete: until then everything is denied',
};

/** Where plain text is taken, nothing asks who sends it. */
const PLAIN: Decision = {
  decision: 'Allow',
  shadow: 'Allow',
  decidedBy: undefined,
  shadowDecidedBy: undefined,
  reason: 'this inbound takes plain text, which no permission is asked about',
  warnings: [],
};

/** What one inbound decides about a request. `mesh`: of a client that names none. */
export function decideThrough(gate: InboundGate, request: Request, mesh: string): Decision {
  if (gate.shut) return gate.shut;
  return gate.takesPlaintext && isNobody(request) ? PLAIN : decideBy(gate.permissions, request, gate.protocol, mesh);
}

/** A caller without a certificate, who can come in plain text only. */
function isNobody(request: Request): boolean {
  return 'spiffeIds' in request && request.spiffeIds.length === 0;
}

/** Two inbounds on one port are one to a caller: what one of them denies may be denied. */
export function decideTogether(decisions: readonly Decision[]): Decision {
  const [first = NOT_SCANNED] = decisions;
  return decisions.find(({ decision }) => decision === 'Deny') ?? first;
}
