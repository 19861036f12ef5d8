import type { Place } from '../resource/resource.js';
import type { MirrorItem, Transaction } from '../resource/store.js';
import { peersOf, placeOf } from './peers.js';
import type { Plane } from './plane.js';
import { judge } from './receive.js';

/**
 * Judges again what was refused of a peer's feed, from the mirror: when a mesh came, or at the start, when this program may be a newer one.
 */
export function retryRefused(tx: Transaction, plane: Plane, peer: string, origin: Place, concerned: (item: MirrorItem) => boolean): void {
  for (const { key } of tx.mirror.refusals(peer)) {
    const item = tx.mirror.get(peer, key);
    if (item && concerned(item)) judge(tx, plane, peer, origin, item);
  }
}

/** At the start: all that was refused is judged again, for this program may know more than the one that refused it. */
export function retryAllRefused(plane: Plane): void {
  plane.store.commit((tx) => {
    for (const peer of peersOf(tx)) {
      const origin = placeOf(tx, peer);
      if (origin) retryRefused(tx, plane, peer, origin, () => true);
    }
  });
}
