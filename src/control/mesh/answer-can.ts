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
export function can(plane: Plane, view: MeshView, hasGlobal: boolean, { request, ...asked }: CanQuestion): CanAnswer {
  return canAt(plane, view, hasGlobal, asked)(request);
}

/** The same for whoever has many questions about one inbound: its rules are read once. Throws the same. */
export function canAt(
  plane: Plane,
  view: MeshView,
  hasGlobal: boolean,
  { dataplane, section, shut = [] }: Omit<CanQuestion, 'request'>,
): (request: Request) => CanAnswer {
  const proxy = readProxy(dataplane, view.index);
  const inbounds = chooseInbounds(proxy, section);
  const reasons = inbounds.flatMap((inbound) => whyNotServed(proxy, inbound) ?? []);
  const why = whyShutAt(proxy, shut);
  const deciding = isClosed(plane, hasGlobal)
    ? [() => NOT_SCANNED]
    : inbounds.map((inbound) => alwaysShut(why(inbound)) ?? decidingAt(view, proxy, inbound));
  const access = accessNotes(view, proxy, inbounds);
  const [reason] = reasons;
  // Of two on one port, one that is served decides.
  const enforced = reason === undefined || reasons.length < inbounds.length;
  const unasked = enforced ? {} : { reason: `not enforced: ${reason}, so nobody asks what the policies say` };
  return (request) => {
    const decision = decideTogether(deciding.map((decide) => decide(request)));
    return { ...decision, enforced, ...unasked, warnings: [...decision.warnings, ...access] };
  };
}

type Deciding = (request: Request) => Decision;

function alwaysShut(reason: string | undefined): Deciding | undefined {
  const decision = shutBy(reason);
  return decision && (() => decision);
}

/**
 * What is written says it by itself; what only building shows is told by who has built. Listeners that are not ours
 * have no place.
 */
export function whyShutAt(proxy: Proxy, built: readonly ShutInbound[]): (inbound: Inbound) => string | undefined {
  const placed = isForeign(proxy) ? [] : placesOf(proxy);
  return (inbound) => whyShut(placed, inbound) ?? built.find((one) => one.inbound === sectionOf(inbound))?.reason;
}

function decidingAt(view: MeshView, proxy: Proxy, inbound: Inbound): Deciding {
  const matches = matchInbound(view.permissions, proxy, inbound, view.index);
  const plaintext = plaintextAt(view, proxy, inbound);
  const gate = gateAt(proxy, inbound, { matches, callers: callersAt(view, proxy, inbound), trusts: view.trusts }, plaintext.taken);
  const entry = entryNotes(proxy, inbound, view.trusts);
  const warnings = gate.shut ? [] : [...notesOn(proxy, [matches], view.refusal), ...plaintext.warnings, ...entry];
  return (request) => ({ ...decideThrough(gate, request, view.mesh), warnings });
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
