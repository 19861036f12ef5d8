import type { Key } from '../resource/key.js';
import type { Place } from '../resource/resource.js';
import type { Transaction } from '../resource/store.js';
import type { Plane } from './plane.js';
import { judge } from './receive.js';

/**
 * Judges again what was refused of a peer's feed, from the mirror: when a mesh came, or at the start, when this program may be a newer one.
 * `concerned` picks by key.
 */
export function retryRefused(tx: Transaction, plane: Plane, peer: string, origin: Place, concerned: (key: Key) => boolean): void {
  for (const { key } of [...tx.mirror.refusals(peer)]) {
    if (!concerned(key)) continue;
    const item = tx.mirror.get(peer, key);
    if (item) judge(tx, plane, peer, origin, item);
  }
}
