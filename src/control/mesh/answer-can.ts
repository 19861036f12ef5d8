import { decideBy, type Decision } from '../../policy/decide/decide-request.ts';
import { readPermissions } from '../../policy/decide/read-permissions.ts';
import type { Request } from '../../policy/decide/read-request.ts';
import { inboundsAt, sectionOf } from '../../policy/inspect/proxy-layout.ts';
import { notesOn } from '../../policy/inspect/proxy-notes.ts';
import { type Inbound, type Proxy, readProxy } from '../../policy/match/read-proxy.ts';
import { matchInbound } from '../../policy/match/select-policies.ts';
import { hasFirstScan } from '../peers/first-scan-state.ts';
import { invalid } from '../../errors.ts';
import { quote } from '../../resource/field-path.ts';
import { readable } from '../../resource/readable-text.ts';
import type { Resource } from '../../resource/resource.ts';
import { placesOf, type ShutInbound, whyShut } from './listen-address.ts';
import { whyCrowded } from './too-many-rules.ts';
import { callersAt } from './mesh-access.ts';
import type { MeshView } from './mesh-view.ts';
import { unaskedNotes, whyNotServed } from './not-enforced-notes.ts';
import { plaintextAt } from './plaintext-notes.ts';
import { isGlobal, type Plane } from '../plane/plane.ts';

export interface CanAnswer extends Decision {
  /** Whether a listener is served there that asks; if not, the decision is what policies say and nobody enforces. */
  readonly enforced: boolean;
}

export interface CanQuestion {
  readonly dataplane: Resource;
  /** The inbound's name or port; without it, the only one. */
  readonly section: string | undefined;
  readonly request: Request;
  /**
   * What the proxy was given, as far as it is known: its inbounds that let nobody in because they could not be built.
   */
  readonly shut?: readonly ShutInbound[] | undefined;
}

/**
 * Whether a request may enter, as this control plane knows the mesh. Throws `invalid` when it isn't clear which inbound
 * is meant.
 *
 *   a zone with a global, of which it has nothing yet  ->  Deny: denies may be missing
 *   an inbound that can't be built, or is not served   ->  Deny: nobody gets in, and it says why
 *   an inbound of more rules than it takes             ->  the same, at global too
 *   an inbound that takes plain text, no certificate   ->  Allow
 *   otherwise                                          ->  what `decide` says (src/policy/decide)
 *   at a gateway                                       ->  the same, `enforced: false`: neither we allow it nor deny it
 */
export function can(plane: Plane, view: MeshView, hasGlobal: boolean, question: CanQuestion): CanAnswer {
  const proxy = readProxy(question.dataplane, view.index);
  const inbounds = chooseInbounds(proxy, question.section);
  const reasons = inbounds.flatMap((inbound) => whyNotServed(proxy, inbound) ?? []);
  const decision = decideAll(plane, view, hasGlobal, { ...question, proxy, inbounds });
  const unasked = unaskedNotes(plane, view.mesh);
  const [reason] = reasons;
  // Of two on one port, one that is served decides.
  if (reason === undefined || reasons.length < inbounds.length)
    return { ...decision, enforced: true, warnings: [...decision.warnings, ...unasked] };
  return {
    ...decision,
    enforced: false,
    reason: `not enforced: ${reason}, so nobody asks what the policies say`,
    warnings: [...decision.warnings, ...unasked],
  };
}

interface AskedInbounds extends Pick<CanQuestion, 'request' | 'shut'> {
  readonly proxy: Proxy;
  readonly inbounds: readonly Inbound[];
}

function decideAll(plane: Plane, view: MeshView, hasGlobal: boolean, { proxy, inbounds, request, shut }: AskedInbounds): Decision {
  if (hasGlobal && !isGlobal(plane.place) && !hasFirstScan(plane.store)) return NOT_SCANNED;
  const why = whyShutAt(proxy, shut ?? []);
  const decisions = inbounds.map((inbound) => shutDecision(why(inbound)) ?? decideAt(view, proxy, inbound, request));
  // Two inbounds on one port are one to a caller: what one of them denies may be denied.
  const [first = NOT_SCANNED] = decisions;
  return decisions.find(({ decision }) => decision === 'Deny') ?? first;
}

const NOBODY = { decision: 'Deny', shadow: 'Deny', decidedBy: undefined, shadowDecidedBy: undefined, warnings: [] } as const;

const NOT_SCANNED: Decision = { ...NOBODY, reason: 'the first scan of what global has is not complete: until then everything is denied' };

function shutDecision(reason: string | undefined): Decision | undefined {
  return reason === undefined
    ? undefined
    : { ...NOBODY, reason: `nobody gets in at this inbound, whatever the policies say: ${readable(reason)}` };
}

/**
 * What is written says it by itself; what only building shows is told by who has built. Of a gateway no inbound is
 * placed.
 */
function whyShutAt(proxy: Proxy, built: readonly ShutInbound[]): (inbound: Inbound) => string | undefined {
  const placed = proxy.type === 'Gateway' ? [] : placesOf(proxy);
  return (inbound) => whyShut(placed, inbound) ?? built.find((one) => one.inbound === sectionOf(inbound))?.reason;
}

/** Where plain text is taken, nothing asks who sends it. */
const PLAIN: Decision = {
  decision: 'Allow',
  shadow: 'Allow',
  decidedBy: undefined,
  shadowDecidedBy: undefined,
  reason: 'this inbound takes plain text, which no permission is asked about',
  warnings: [],
};

/** A caller without a certificate, who can come in plain text only. */
function isNobody(request: Request): boolean {
  return 'spiffeIds' in request && request.spiffeIds.length === 0;
}

function decideAt(view: MeshView, proxy: Proxy, inbound: Inbound, request: Request): Decision {
  const matches = matchInbound(view.permissions, proxy, inbound, view.index);
  // Access policies are asked where a listener is served.
  const callers = proxy.type === 'Gateway' ? undefined : callersAt(view, proxy, inbound);
  const crowded = proxy.type === 'Gateway' ? undefined : shutDecision(whyCrowded(inbound, matches, callers));
  if (crowded) return crowded;
  const plaintext = plaintextAt(view, proxy, inbound);
  const decision =
    plaintext.taken && isNobody(request)
      ? PLAIN
      : decideBy({ permissions: readPermissions(matches), callers }, request, inbound.protocol, view.mesh);
  return { ...decision, warnings: [...notesOn(proxy, [matches], view.refusal), ...plaintext.warnings] };
}

function chooseInbounds(proxy: Proxy, section: string | undefined): readonly Inbound[] {
  const { inbounds } = proxy;
  const sections = [...new Set(inbounds.map(sectionOf))].filter((known) => known !== '');
  const found = section !== undefined ? inboundsAt(proxy, section) : sections.length < 2 ? inbounds : [];
  if (found.length > 0) return found;
  const reason = section === undefined ? 'is missing: the dataplane has several inbounds' : `no inbound is called ${quote(section)}`;
  throw invalid([{ field: 'to.port', reason: sections.length > 0 ? `${reason}; it has ${sections.join(', ')}` : reason }]);
}
