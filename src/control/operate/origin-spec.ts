import { decodeLine } from '../../kds/item.ts';
import { MeridianError } from '../../errors.ts';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import type { Key } from '../../resource/key.ts';
import { GLOBAL, type JsonObject, type Place, type Resource } from '../../resource/resource.ts';
import { placeOf } from '../peers/known-peers.ts';
import { isGlobal, owns, type Plane } from '../plane/plane.ts';

/**
 * A resource's spec as its origin wrote it, before references got the names that they have here, and where that origin
 * stands.
 */
export interface OriginSpec {
  readonly spec: JsonObject;
  readonly origin: Place;
}

/** Throws `conflict` when a newer version was refused: the mirror then no longer has the version in force. */
export function originSpecOf({ place, store }: Plane, { key, spec }: Resource): OriginSpec {
  if (owns(place, key)) return { spec, origin: place };
  const mirrored = store.mirror.get(isGlobal(place) ? key.zone : GLOBAL_PEER, key);
  if (mirrored?.refusal) {
    throw new MeridianError('conflict', `a newer version was refused: ${mirrored.refusal.reason}`, {
      hint: 'correct it at its origin; the version that is in force is the one that GET shows',
    });
  }
  const item = mirrored && decodeLine(mirrored.wire)?.item;
  if (!item) throw new MeridianError('internal', 'a copy without what was sent');
  return { spec: item.spec, origin: placeOf(store, key.zone) ?? elsewhere(key, item.assigned?.environment) };
}

/** A zone does not know the system namespaces of the others: nothing that came from there refers to it. */
function elsewhere({ zone }: Key, environment: Place['environment'] = 'kubernetes'): Place {
  return zone === '' ? GLOBAL : { zone, environment, systemNamespace: '' };
}
