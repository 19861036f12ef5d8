import { zoneState } from '../peers/zone-state.ts';
import { judge } from './judge-item.ts';
import type { Place } from '../../resource/resource.ts';
import type { MirrorItem, Transaction } from '../../resource/store/store.ts';
import { meshesFirst } from '../put/meshes-first.ts';
import { peersOf, placeOf } from '../peers/known-peers.ts';
import type { Plane } from '../plane/plane.ts';

/**
 * Judges the refused items of a peer's feed again, from the mirror: when a mesh came, and at each start, since the
 * program may be newer. Not for a disabled zone: nothing is taken from it.
 */
export function retryRefused(tx: Transaction, plane: Plane, peer: string, origin: Place, concerned: (item: MirrorItem) => boolean): void {
  if (zoneState(tx, peer) === 'disabled') return;
  for (const { key } of meshesFirst(tx.mirror.refusals(peer), (refusal) => refusal.key.type)) {
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
