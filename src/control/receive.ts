import { decodeLine } from '../kds/item.js';
import { addHash, type Digest, EMPTY_DIGEST, formatDigest, hashItem, parseDigest, subtractHash } from '../kds/digest.js';
import { cutReason, inForceAfterRefusal } from '../kds/refusal.js';
import { type Key, keyId } from '../resource/key.js';
import type { Place } from '../resource/resource.js';
import type { MirrorItem, Position, Transaction } from '../resource/store.js';
import { putCopy } from './copy.js';
import { rerender } from './rerender.js';
import { retryRefused } from './retry.js';
import { isGlobal, type Plane } from './plane.js';

/** What a peer sent, complete: what is staged in the store for it, and these last lines. */
export interface Transfer {
  readonly peer: string;
  /** Where the peer stands: on global the zone, on a zone global. */
  readonly origin: Place;
  readonly mode: 'delta' | 'scan';
  readonly lines: readonly string[];
  readonly end: Position;
}

interface Change {
  readonly key: Key;
  /** '' for a delete. */
  readonly wire: string;
}

/**
 * Applies a transfer as one commit, if the mirror then adds up to what the sender says it has. `mismatch`: nothing was written.
 *
 *   mirror {a, b}, delta [put c, delete a]   -> mirror {b, c}, if H(b) + H(c) is the digest of `end`
 *   mirror {a, b}, scan  [b, c]              -> the same; a goes, for it was sent in this store's term and is there no more
 *   mirror {a, b} of an older term, scan [b] -> a stays: its absence proves nothing (design, section 4)
 */
export function applyTransfer(plane: Plane, transfer: Transfer): 'applied' | 'mismatch' {
  return plane.store.commit((tx) => {
    const { peer, end } = transfer;
    const changes = collect(tx, transfer);
    if (!addsUp(tx, transfer, changes)) {
      tx.mirror.clearStage(peer);
      return 'mismatch';
    }
    if (transfer.mode === 'scan') for (const key of gone(tx, transfer, changes)) drop(tx, peer, key);
    applyChanges(tx, plane, transfer, changes);
    tx.mirror.setPosition(peer, end);
    tx.mirror.clearStage(peer);
    return 'applied';
  });
}

/** The last word on each key, its zone as the transport proves it. Lines that are none are left out: the digest tells. */
function collect(tx: Transaction, { peer, lines, origin }: Transfer): ReadonlyMap<string, Change> {
  const changes = new Map<string, Change>();
  const add = (change: Change) => changes.set(keyId(change.key), change);
  for (const staged of tx.mirror.staged(peer)) add(staged);
  for (const change of readLines(lines, origin)) add(change);
  return changes;
}

/** Decodes the lines of a message; on global every key is filed under the zone that sent it, whatever it says. */
export function readLines(lines: readonly string[], origin: Place): Change[] {
  return lines.flatMap((line) => {
    const decoded = decodeLine(line);
    if (!decoded) return [];
    const key = isGlobal(origin) ? decoded.key : { ...decoded.key, zone: origin.zone };
    return [{ key, wire: decoded.item ? line : '' }];
  });
}

/** Whether the changes lead to the count and digest that the sender gave. Only items of its present term count: older ones are not in its feed. */
function addsUp(tx: Transaction, { peer, mode, end }: Transfer, changes: ReadonlyMap<string, Change>): boolean {
  const position = mode === 'delta' ? tx.mirror.position(peer) : undefined;
  let digest: Digest = position ? parseDigest(position.digest) : EMPTY_DIGEST;
  let count = position?.count ?? 0;
  for (const { key, wire } of changes.values()) {
    const before = mode === 'delta' ? tx.mirror.get(peer, key) : undefined;
    if (before?.term === end.term) {
      digest = subtractHash(digest, before.hash);
      count -= 1;
    }
    if (wire !== '') {
      digest = addHash(digest, hashItem(wire));
      count += 1;
    }
  }
  return formatDigest(digest) === end.digest && count === end.count;
}

/** What a verified scan proves to be gone: in the mirror from this very store and term, and not listed. */
function gone(tx: Transaction, { peer, end }: Transfer, changes: ReadonlyMap<string, Change>): Key[] {
  const absent: Key[] = [];
  for (const { key, term } of tx.mirror.each(peer)) {
    const listed = changes.get(keyId(key));
    if (term === end.term && (!listed || listed.wire === '')) absent.push(key);
  }
  return absent;
}

function applyChanges(tx: Transaction, plane: Plane, transfer: Transfer, changes: ReadonlyMap<string, Change>): void {
  const meshes = new Set<string>();
  // Meshes first: what is in them depends on them.
  const ordered = [...changes.values()].sort((a, b) => Number(b.key.type === 'Mesh') - Number(a.key.type === 'Mesh'));
  for (const { key, wire } of ordered) {
    if (wire === '') drop(tx, transfer.peer, key);
    else if (take(tx, plane, transfer, key, wire) && key.type === 'Mesh') meshes.add(key.name);
  }
  // Refused ones get a second chance: their mesh came, or a name became free later in this very transfer.
  const retry = (key: Key) => meshes.has(key.mesh) || changes.has(keyId(key));
  retryRefused(tx, plane, transfer.peer, transfer.origin, retry);
}

function drop(tx: Transaction, peer: string, key: Key): void {
  if (!tx.mirror.get(peer, key)) return;
  tx.mirror.delete(peer, key);
  tx.delete(key);
  tx.setReferences(key, []);
}

/** Takes one item into the mirror and, if it can be, into the store. What is unchanged is not touched. True when it is in force. */
function take(tx: Transaction, plane: Plane, { peer, origin, end }: Transfer, key: Key, wire: string): boolean {
  const hash = hashItem(wire);
  const before = tx.mirror.get(peer, key);
  if (before?.hash === hash) {
    if (before.term !== end.term) tx.mirror.put(peer, { ...before, term: end.term });
    return before.refusal === undefined;
  }
  return judge(tx, plane, peer, origin, { key, wire, hash, term: end.term });
}

/** Puts an item into the store, or lists it as refused with the reason. */
export function judge(tx: Transaction, plane: Plane, peer: string, origin: Place, item: MirrorItem): boolean {
  const decoded = decodeLine(item.wire)?.item;
  const reason = decoded ? putCopy(tx, plane, origin, { ...decoded, key: item.key }) : 'it can not be read';
  if (reason === undefined) {
    tx.mirror.put(peer, { key: item.key, wire: item.wire, hash: item.hash, term: item.term });
    rerender(tx, plane, item.key);
    return true;
  }
  const inForce = inForceAfterRefusal(item.key, tx.get(item.key) !== undefined);
  const refusal = { key: item.key, hash: item.hash, reason: cutReason(reason), since: plane.now(), inForce };
  const same = item.refusal?.hash === refusal.hash && item.refusal.reason === refusal.reason && item.refusal.inForce === inForce;
  if (!same) tx.mirror.put(peer, { key: item.key, wire: item.wire, hash: item.hash, term: item.term, refusal });
  return false;
}
