import { type Permission, readPermissions } from '../../policy/decide/permissions.js';
import type { Subject } from '../../policy/decide/request.js';
import { sectionOf } from '../../policy/inspect/layout.js';
import { type Inbound, readProxy } from '../../policy/match/proxy.js';
import { matchInbound } from '../../policy/match/select.js';
import { keyId } from '../../resource/key.js';
import type { Resource } from '../../resource/resource.js';
import type { MeshView } from '../mesh-view.js';

/** What decides an inbound; where there is none, nobody gets in. */
export interface Decided {
  readonly protocol: Subject['protocol'];
  readonly permissions: readonly Permission[];
}

/** A port of a proxy, as it was and as it would be; undefined: it is not there. */
export interface InboundPair {
  readonly dataplane: Resource;
  /** Its name, else its port. */
  readonly section: string;
  readonly before: Decided | undefined;
  readonly after: Decided | undefined;
}

/** The inbounds of all proxies of a mesh, before and after a change. */
export function pairInbounds(before: MeshView, after: MeshView): InboundPair[] {
  const [was, willBe] = [inboundsOf(before), inboundsOf(after)];
  const ids = new Set([...willBe.keys(), ...was.keys()]);
  return [...ids].flatMap((id) => {
    const [earlier, later] = [was.get(id), willBe.get(id)];
    const known = later ?? earlier;
    return known ? [{ dataplane: known.dataplane, section: known.section, before: earlier?.decided, after: later?.decided }] : [];
  });
}

interface Known {
  readonly dataplane: Resource;
  readonly section: string;
  readonly decided: Decided;
}

function inboundsOf(view: MeshView): Map<string, Known> {
  const known = new Map<string, Known>();
  for (const dataplane of view.dataplanes) {
    const proxy = readProxy(dataplane, view.index);
    const decide = (inbound: Inbound): Decided => ({
      protocol: inbound.protocol,
      permissions: readPermissions(matchInbound(view.permissions, proxy, inbound, view.index)),
    });
    const listening = proxy.inbounds.filter(({ port }) => port !== undefined);
    listening.forEach((inbound, index) => {
      const section = sectionOf(inbound);
      // Two inbounds may have one name.
      const earlier = listening.slice(0, index).filter((other) => sectionOf(other) === section).length;
      known.set(`${keyId(dataplane.key)} ${section} ${earlier}`, { dataplane, section, decided: decide(inbound) });
    });
  }
  return known;
}
