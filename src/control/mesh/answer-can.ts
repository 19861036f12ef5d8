import type { Decision } from '../../policy/decide/decide-request.ts';
import type { Request } from '../../policy/decide/read-request.ts';
import { inboundsAt, sectionOf } from '../../policy/inspect/proxy-layout.ts';
import { notesOn } from '../../policy/inspect/proxy-notes.ts';
import { type Inbound, type Proxy, readProxy } from '../../policy/match/read-proxy.ts';
import { matchInbound } from '../../policy/match/select-policies.ts';
import { isClosed } from '../peers/first-scan-state.ts';
import { invalid } from '../../errors.ts';
import { quote } from '../../resource/field-path.ts';
import type { Resource } from '../../resource/resource.ts';
import { placesOf, type ShutInbound, whyShut } from './listen-address.ts';
import { isForeign } from './gateway-places.ts';
import { entryNotes } from './gateway-entry.ts';
import { decideThrough, decideTogether, gateAt, NOT_SCANNED, shutBy } from './inbound-gate.ts';
import { callersAt } from './mesh-access.ts';
import type { MeshView } from './mesh-view.ts';
import { accessNotes, whyNotServed } from './not-enforced-notes.ts';
import { plaintextAt } from './plaintext-notes.ts';
import type { Plane } from '../plane/plane.ts';

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
 *   a gateway's listener that proves no callers        ->  as of a caller without identity, whoever asks
 *   at a gateway that is not BUILTIN                   ->  `enforced: false`: neither we allow it nor deny it
 */
export function can(plane: Plane, view: MeshView, hasGlobal: boolean, question: CanQuestion): CanAnswer {
  const proxy = readProxy(question.dataplane, view.index);
  const inbounds = chooseInbounds(proxy, question.section);
  const reasons = inbounds.flatMap((inbound) => whyNotServed(proxy, inbound) ?? []);
  const decision = decideAll(plane, view, hasGlobal, { ...question, proxy, inbounds });
  const access = accessNotes(view, proxy, inbounds);
  const [reason] = reasons;
  // Of two on one port, one that is served decides.
  if (reason === undefined || reasons.length < inbounds.length)
    return { ...decision, enforced: true, warnings: [...decision.warnings, ...access] };
  return {
    ...decision,
    enforced: false,
    reason: `not enforced: ${reason}, so nobody asks what the policies say`,
    warnings: [...decision.warnings, ...access],
  };
}

interface AskedInbounds extends Pick<CanQuestion, 'request' | 'shut'> {
  readonly proxy: Proxy;
  readonly inbounds: readonly Inbound[];
}

function decideAll(plane: Plane, view: MeshView, hasGlobal: boolean, { proxy, inbounds, request, shut }: AskedInbounds): Decision {
  if (isClosed(plane, hasGlobal)) return NOT_SCANNED;
  const why = whyShutAt(proxy, shut ?? []);
  return decideTogether(inbounds.map((inbound) => shutBy(why(inbound)) ?? decideAt(view, proxy, inbound, request)));
}

/**
 * What is written says it by itself; what only building shows is told by who has built. Listeners that are not ours
 * have no place.
 */
export function whyShutAt(proxy: Proxy, built: readonly ShutInbound[]): (inbound: Inbound) => string | undefined {
  const placed = isForeign(proxy) ? [] : placesOf(proxy);
  return (inbound) => whyShut(placed, inbound) ?? built.find((one) => one.inbound === sectionOf(inbound))?.reason;
}

function decideAt(view: MeshView, proxy: Proxy, inbound: Inbound, request: Request): Decision {
  const matches = matchInbound(view.permissions, proxy, inbound, view.index);
  const plaintext = plaintextAt(view, proxy, inbound);
  const gate = gateAt(proxy, inbound, { matches, callers: callersAt(view, proxy, inbound), trusts: view.trusts }, plaintext.taken);
  const decision = decideThrough(gate, request, view.mesh);
  if (gate.shut) return decision;
  const entry = entryNotes(proxy, inbound, view.trusts);
  return { ...decision, warnings: [...notesOn(proxy, [matches], view.refusal), ...plaintext.warnings, ...entry] };
}

/** Those that are meant by a section; without one, the only ones. Throws `invalid`. */
export function chooseInbounds(proxy: Proxy, section: string | undefined): readonly Inbound[] {
  const { inbounds } = proxy;
  const sections = [...new Set(inbounds.map(sectionOf))].filter((known) => known !== '');
  const found = section !== undefined ? inboundsAt(proxy, section) : sections.length < 2 ? inbounds : [];
  if (found.length > 0) return found;
  const reason = section === undefined ? 'is missing: the dataplane has several inbounds' : `no inbound is called ${quote(section)}`;
  throw invalid([{ field: 'to.port', reason: sections.length > 0 ? `${reason}; it has ${sections.join(', ')}` : reason }]);
}
