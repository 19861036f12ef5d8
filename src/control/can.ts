import { decideBy, type Decision } from '../policy/decide/decide.ts';
import { readPermissions } from '../policy/decide/permissions.ts';
import type { Request } from '../policy/decide/request.ts';
import { inboundsAt, sectionOf } from '../policy/inspect/layout.ts';
import { notesOn } from '../policy/inspect/notes.ts';
import { type Inbound, type Proxy, readProxy } from '../policy/match/proxy.ts';
import { matchInbound } from '../policy/match/select.ts';
import { invalid } from '../errors.ts';
import { quote } from '../resource/path.ts';
import type { Resource } from '../resource/resource.ts';
import type { MeshView } from './mesh-view.ts';
import { plaintextAt } from './plaintext.ts';
import { isGlobal, type Plane } from './plane.ts';
import { hasFirstScan } from './readiness.ts';

export interface CanQuestion {
  readonly dataplane: Resource;
  /** The inbound's name or port; without it, the only one. */
  readonly section: string | undefined;
  readonly request: Request;
}

/**
 * Whether a request may enter, as this control plane knows the mesh. Throws `invalid` when it isn't clear which inbound
 * is meant.
 *
 *   a zone with a global, of which it has nothing yet  ->  Deny: denies may be missing
 *   an inbound that takes plain text, no certificate   ->  Allow
 *   otherwise                                          ->  what `decide` says (src/policy/decide)
 */
export function can(plane: Plane, view: MeshView, hasGlobal: boolean, { dataplane, section, request }: CanQuestion): Decision {
  const proxy = readProxy(dataplane, view.index);
  const inbounds = chooseInbounds(proxy, section);
  if (hasGlobal && !isGlobal(plane.place) && !hasFirstScan(plane.store)) return NOT_SCANNED;
  const decisions = inbounds.map((inbound) => decideAt(view, proxy, inbound, request));
  // Two inbounds on one port are one to a caller: what one of them denies may be denied.
  const [first = NOT_SCANNED] = decisions;
  return decisions.find(({ decision }) => decision === 'Deny') ?? first;
}

const NOT_SCANNED: Decision = {
  decision: 'Deny',
  shadow: 'Deny',
  decidedBy: undefined,
  shadowDecidedBy: undefined,
  reason: 'the first scan of what global has is not complete: until then everything is denied',
  warnings: [],
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

/** A caller without a certificate, who can come in plain text only. */
function isNobody(request: Request): boolean {
  return 'spiffeIds' in request && request.spiffeIds.length === 0;
}

function decideAt(view: MeshView, proxy: Proxy, inbound: Inbound, request: Request): Decision {
  const matches = matchInbound(view.permissions, proxy, inbound, view.index);
  const plaintext = plaintextAt(view, proxy, inbound);
  const decision = plaintext.taken && isNobody(request) ? PLAIN : decideBy(readPermissions(matches), request, inbound.protocol, view.mesh);
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
