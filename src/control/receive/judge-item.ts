import { decodeLine, type Item } from '../../kds/item.ts';
import { cutReason, inForceAfterRefusal } from '../../kds/refusal.ts';
import type { Place } from '../../resource/resource.ts';
import type { MirrorItem, Transaction } from '../../resource/store/store.ts';
import { findReferences } from '../../naming/find-references.ts';
import { isGlobal, type Plane } from '../plane/plane.ts';
import { putCopy } from '../put/put-copy.ts';
import { rerender } from '../put/rerender-dependents.ts';
import { whyOverQuota } from './zone-quota.ts';

/** Judges an item of the mirror: reads what its wire says. Out: whether it was put. */
export function judge(tx: Transaction, plane: Plane, peer: string, origin: Place, item: MirrorItem): boolean {
  return judgeDecoded(tx, plane, peer, origin, item, decodeLine(item.wire)?.item);
}

/**
 * Puts an item into the store, or lists it as refused with the reason. Out: whether it was put. `decoded`: what its
 * wire says; undefined: it can't be read.
 */
export function judgeDecoded(
  tx: Transaction,
  plane: Plane,
  peer: string,
  origin: Place,
  item: MirrorItem,
  decoded: Item | undefined,
): boolean {
  const reason = decoded ? putOrRefuse(tx, plane, origin, { ...decoded, key: item.key }, item.wire) : 'it can not be read';
  if (reason === undefined) {
    tx.mirror.put(peer, { key: item.key, wire: item.wire, hash: item.hash, term: item.term });
    rerender(tx, plane, item.key);
    return true;
  }
  const inForce = inForceAfterRefusal(item.key, tx.get(item.key) !== undefined, decoded?.spec);
  const refusal = { key: item.key, hash: item.hash, reason: cutReason(reason), since: plane.now(), inForce };
  const same = item.refusal?.hash === refusal.hash && item.refusal.reason === refusal.reason && item.refusal.inForce === inForce;
  if (!same) tx.mirror.put(peer, { key: item.key, wire: item.wire, hash: item.hash, term: item.term, refusal });
  return false;
}

/** The references are looked for once: the quota counts them, and the copy resolves them. */
function putOrRefuse(tx: Transaction, plane: Plane, origin: Place, item: Item, wire: string): string | undefined {
  if (!isGlobal(plane.place)) return putCopy(tx, plane, origin, item);
  const references = findReferences(item.key.type, item.spec);
  return whyOverQuota(tx, plane, origin, { key: item.key, wire, references }) ?? putCopy(tx, plane, origin, item, references);
}
