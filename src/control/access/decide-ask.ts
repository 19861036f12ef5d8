import type { AccessAsk, AskRefusal } from '../../kds/access/access-messages.ts';
import { destinationAttributes, joinSite, readService } from '../../policy/access/attributes.ts';
import { decideAccess } from '../../policy/access/decide-access.ts';
import { readForeignCaller } from '../../policy/access/foreign-caller.ts';
import type { Key } from '../../resource/key.ts';
import { isClosed } from '../peers/first-scan-state.ts';
import type { Plane } from '../plane/plane.ts';
import type { AccessView } from './access-view.ts';

/** What the zone of a service decides about a caller of another one. */
export type AskDecision =
  | { readonly allowed: true; readonly service: Key; readonly decidedBy: Key | undefined; readonly reason: string }
  | { readonly allowed: false; readonly why: AskRefusal; readonly decidedBy: Key | undefined; readonly reason: string };

/** What a zone decides with. */
export interface AskGround {
  readonly plane: Plane;
  readonly hasGlobal: boolean;
  readonly views: (mesh: string) => AccessView;
}

/**
 * The server's side (docs/design/attributes.md#both-sides). `from`: the zone that asks, as the transport proves it. The
 * attributes of its site are those that are known here, whatever it says; the policies are those that are in force in
 * this zone, of the namespace of its own service.
 */
export function decideAsk(
  { plane, hasGlobal, views }: AskGround,
  from: string,
  { mesh, service, caller }: Omit<AccessAsk, 'id'>,
): AskDecision {
  const { store, place } = plane;
  if (isClosed(plane, hasGlobal))
    return denied('not-scanned', `zone ${place.zone} has not everything yet that global has: until then it denies everything`);
  const own = store.get({ type: 'MeshService', mesh, zone: place.zone, namespace: service.namespace, name: service.name })?.resource;
  // Before the view is read: meshes that somebody makes up must cost nothing.
  if (!own) return denied('unknown-service', `zone ${place.zone} has no such MeshService`);
  const { sites, policies } = views(mesh);
  const [theirs, ours] = [sites.get(from), sites.get(place.zone)];
  for (const [zone, site] of [
    [from, theirs],
    [place.zone, ours],
  ] as const) {
    if (!site?.attributes)
      return denied('unknown-zone', `zone ${place.zone} knows nothing of the site of zone ${zone}, or what it knows contradicts itself`);
    if (site.disabled) return denied('disabled-zone', `zone ${zone} is disabled`);
  }
  const read = readForeignCaller(caller.attributes);
  if ('refused' in read) return denied(read.refused, read.reason);
  const decision = decideAccess(policies(place.zone), {
    source: joinSite(read.attributes, theirs?.attributes),
    destination: destinationAttributes(readService(own), ours?.attributes ?? new Map()),
    namespace: own.key.namespace,
  });
  const { decidedBy, reason } = decision;
  if (decision.allowed) return { allowed: true, service: own.key, decidedBy, reason };
  return { allowed: false, why: decidedBy ? 'policy' : 'no-policy', decidedBy, reason };
}

function denied(why: AskRefusal, reason: string): AskDecision {
  return { allowed: false, why, decidedBy: undefined, reason };
}
