import type { Place } from '../resource/resource.js';
import type { MirrorItem, Transaction } from '../resource/store.js';
import { peersOf, placeOf } from './peers.js';
import type { Plane } from './plane.js';
import { judge } from './receive.js';
import { zoneState } from './zones.js';

/**
 * Judges again what was refused of a peer's feed, from the mirror: when a mesh came, or at the start, when this program may be a newer one. Meshes
 * first: what is in them depends on them. Of a disabled zone nothing is taken.
 */
export function retryRefused(tx: Transaction, plane: Plane, peer: string, origin: Place, concerned: (item: MirrorItem) => boolean): void {
  if (zoneState(tx, peer) === 'disabled') return;
  const keys = tx.mirror.refusals(peer).map(({ key }) => key);
  for (const key of [...keys].sort((a, b) => Number(b.type === 'Mesh') - Number(a.type === 'Mesh'))) {
    const item = tx.mirror.get(peer, key);
    if (item && concerned(item)) judge(tx, plane, peer, origin, item);
  }
}

/** The same for every peer. */
export function retryOfAll(tx: Transaction, plane: Plane, concerned: (item: MirrorItem) => boolean): void {
  for (const peer of peersOf(tx)) retryOf(tx, plane, peer, concerned);
}

/** The same for one peer, if it ever said where it stands. */
export function retryOf(tx: Transaction, plane: Plane, peer: string, concerned: (item: MirrorItem) => boolean): void {
  const origin = placeOf(tx, peer);
  if (origin) retryRefused(tx, plane, peer, origin, concerned);
}

/** At the start: all that was refused is judged again, for this program may know more than the one that refused it. */
export function retryAllRefused(plane: Plane): void {
  plane.store.commit((tx) => retryOfAll(tx, plane, () => true));
}
