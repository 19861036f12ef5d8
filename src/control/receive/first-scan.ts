import { setFilling, isFilling } from '../peers/first-scan-state.ts';
import { judge } from './judge-item.ts';
import { addHash, type Digest, EMPTY_DIGEST, formatDigest, hashItem } from '../../kds/digest.ts';
import type { ApplyOutcome } from '../../kds/receiver.ts';
import type { Key } from '../../resource/key.ts';
import type { Place } from '../../resource/resource.ts';
import type { Parts } from '../../resource/store/parts.ts';
import type { Reader, Transaction } from '../../resource/store/store.ts';
import { readPeer } from '../peers/known-peers.ts';
import { untilFree } from '../plane/in-turns.ts';
import { durabilityOfCopies, isGlobal, type Plane } from '../plane/plane.ts';
import { applyTransfer, applyTransferInParts, isLarge, type Transfer } from './apply-transfer.ts';
import { readLines } from './received-change.ts';

/** Items that are taken in one commit, before others may get the event loop. */
export const PER_SLICE = 100;

interface ScannedItem {
  readonly key: Key;
  readonly wire: string;
}

/**
 * Whether this is the first that an empty zone gets of global. Until it is whole the zone denies everything, so that it
 * may come in parts.
 */
export function isFirstScan({ place, store }: Plane, { peer, mode }: Transfer): boolean {
  if (isGlobal(place) || mode !== 'scan' || store.mirror.position(peer) !== undefined) return false;
  // An earlier process may have taken a part of a fill, and those items may be deleted by now. A scan in one commit
  // finds that.
  for (const _ of store.mirror.each(peer)) return false;
  return true;
}

/**
 * `applyTransfer` for a first scan, in parts: a hundred thousand items in one commit would block everything for many
 * seconds. Nothing is written before all adds up; the position comes with the last part, and with it the zone opens.
 * Each step is a part. `slice`: items in one.
 *
 *   staged {a, b, c}, slice 2  ->  look at a, b; c: it adds up; write a, b; write c, the position
 */
export function* applyFirstScan(plane: Plane, { peer, origin, lines, end }: Transfer, slice: number): Parts<ApplyOutcome> {
  const { store } = plane;
  const durability = durabilityOfCopies(plane.place);
  store.commit((tx) => tx.mirror.stage(peer, readLines(lines, origin)), durability);
  const meshes = yield* verified(store, peer, end, slice);
  if (!meshes) {
    yield* untilFree(store);
    store.commit((tx) => tx.mirror.clearStage(peer), durability);
    return 'mismatch';
  }
  yield* untilFree(store);
  const write = (parts: readonly ScannedItem[], also: (tx: Transaction) => void = () => {}) =>
    store.commit((tx) => {
      for (const part of parts) take(tx, plane, peer, origin, part, end.term);
      also(tx);
    }, durability);
  write(meshes, (tx) => setFilling(tx, true));
  for (const parts of slices(store.mirror.staged(peer), slice)) {
    yield;
    yield* untilFree(store);
    // An operator accepted another store meanwhile: the items of this one no longer prove anything.
    if (readPeer(store, peer)?.store !== end.store) return 'failed';
    write(parts.filter(({ key }) => key.type !== 'Mesh'));
  }
  write([], (tx) => {
    tx.mirror.setPosition(peer, end);
    tx.mirror.clearStage(peer);
    setFilling(tx, false);
  });
  return 'applied';
}

/** `applyTransfer`. A scan in one commit also repairs what an unfinished fill left behind. */
export function* applyWhole(plane: Plane, transfer: Transfer): Parts<ApplyOutcome> {
  const { store } = plane;
  const outcome = isLarge(store, transfer) ? yield* applyTransferInParts(plane, transfer) : applyTransfer(plane, transfer);
  if (isFilling(store) && store.mirror.position(transfer.peer) !== undefined) store.commit((tx) => setFilling(tx, false));
  return outcome;
}

/**
 * The staged meshes, since the items in them need them. undefined: the staged items do not add up to the sender's
 * digest.
 */
function* verified(store: Reader, peer: string, end: Transfer['end'], slice: number): Parts<readonly ScannedItem[] | undefined> {
  let digest: Digest = EMPTY_DIGEST;
  let count = 0;
  const meshes: ScannedItem[] = [];
  for (const parts of slices(store.mirror.staged(peer), slice)) {
    yield;
    for (const { key, wire } of parts) {
      if (wire === '') continue;
      digest = addHash(digest, hashItem(wire));
      count += 1;
      if (key.type === 'Mesh') meshes.push({ key, wire });
    }
  }
  return formatDigest(digest) === end.digest && count === end.count ? meshes : undefined;
}

function take(tx: Transaction, plane: Plane, peer: string, origin: Place, { key, wire }: ScannedItem, term: number): void {
  if (wire !== '') judge(tx, plane, peer, origin, { key, wire, hash: hashItem(wire), term });
}

function* slices(parts: Iterable<ScannedItem>, size: number): IterableIterator<readonly ScannedItem[]> {
  let slice: ScannedItem[] = [];
  for (const part of parts) {
    slice.push(part);
    if (slice.length < size) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}
