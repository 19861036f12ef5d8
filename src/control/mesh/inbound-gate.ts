import { decideBy, type Decision } from '../../policy/decide/decide-request.ts';
import type { CallerVerdicts } from '../../policy/callers/caller-verdicts.ts';
import { type Permission, readPermissions } from '../../policy/decide/read-permissions.ts';
import type { Request } from '../../policy/decide/read-request.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Inbound, Proxy } from '../../policy/match/read-proxy.ts';
import type { SelectingPolicy } from '../../policy/match/select-policies.ts';
import { readable } from '../../resource/readable-text.ts';
import { asSeen, entryAt, type GatewayEntry, untrustedAt } from './gateway-entry.ts';
import { whyCrowded } from './too-many-rules.ts';

/** What decides about requests at one inbound. */
export interface InboundGate {
  /** The decision whatever is asked: nobody gets in. */
  readonly shut: Decision | undefined;
  readonly permissions: readonly Permission[];
  /** What access policies decide, if any selects it. */
  readonly callers: CallerVerdicts | undefined;
  readonly protocol: Inbound['protocol'];
  /** Whether it takes plain text: whoever shows no certificate gets in. */
  readonly takesPlaintext: boolean;
  /** Of a gateway's listener: whom its rules see. */
  readonly entry: GatewayEntry | undefined;
}

/** What selects an inbound: permissions, and access policies with what they decide; and whom its mesh trusts. */
export interface InboundSelectors {
  readonly trusts: readonly Resource[];
  readonly matches: readonly SelectingPolicy[];
  readonly callers: CallerVerdicts | undefined;
}

export function gateAt(proxy: Proxy, inbound: Inbound, selectors: InboundSelectors, takesPlaintext: boolean): InboundGate {
  const { matches, callers, trusts } = selectors;
  const { protocol } = inbound;
  const shut = shutBy(whyCrowded(inbound, matches, callers));
  return { shut, permissions: readPermissions(matches), callers, protocol, takesPlaintext, entry: entryAt(proxy, inbound, trusts) };
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
  if (gate.takesPlaintext && isNobody(asSeen(gate.entry, request))) return PLAIN;
  const untrusted = untrustedAt(gate.entry, request, mesh);
  if (untrusted !== undefined) return { ...NOBODY, reason: `the connection is closed before the rules: ${readable(untrusted)}` };
  return decideBy(gate, asSeen(gate.entry, request), gate.protocol, mesh);
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
