import { judge, judgeDecoded } from './judge-item.ts';
import { addHash, type Digest, EMPTY_DIGEST, formatDigest, parseDigest, subtractHash } from '../../kds/digest.ts';
import { keyId } from '../../resource/key.ts';
import type { Place } from '../../resource/resource.ts';
import { atOnce, type Parts } from '../../resource/store/parts.ts';
import type { Position, Reader, Transaction } from '../../resource/store/store.ts';
import { dropCopy } from '../put/put-copy.ts';
import { meshesFirst } from '../put/meshes-first.ts';
import { boundRefused, refuseFlood } from './zone-quota.ts';
import { retryRefused } from './retry-refused.ts';
import { durabilityOfCopies, isGlobal, type Plane } from '../plane/plane.ts';
import { itemOf, type ReceivedChange, receivedDelete, receivedLines, receivedStaged } from './received-change.ts';
import { forgetUnused, retryOverQuota } from './retry-over-quota.ts';

/** A complete transfer of a peer: the lines that are staged in the store, and these last ones. */
export interface Transfer {
  readonly peer: string;
  /** Where the peer stands: on global the zone, on a zone global. */
  readonly origin: Place;
  readonly mode: 'delta' | 'scan';
  readonly lines: readonly string[];
  readonly end: Position;
}

/**
 * Applies a transfer as one commit, if the mirror then adds up to what the sender says it has. `mismatch`: nothing was
 * written.
 *
 *   mirror {a, b}, delta [put c, delete a]   -> mirror {b, c}, if H(b) + H(c) is the digest of `end`
 *   mirror {a, b}, scan  [b, c]              -> the same; a goes: it was sent in this term, and is not listed any more
 *   mirror {a, b} of an older term, scan [b] -> a stays: its absence proves nothing (docs/design/trust.md#absence)
 */
export function applyTransfer(plane: Plane, transfer: Transfer): 'applied' | 'mismatch' {
  return plane.store.commit((tx) => atOnce(applyAll(tx, plane, transfer)), durabilityOfCopies(plane.place));
}

/** `applyTransfer` a step at a time, each about one item; others see nothing of it before the last. */
export function applyTransferInParts(plane: Plane, transfer: Transfer): Parts<'applied' | 'mismatch'> {
  return plane.store.commitInParts((tx) => applyAll(tx, plane, transfer));
}

/** With more lines, or with something staged, a transfer takes long. */
const AT_ONCE = 200;

export function isLarge(store: Reader, { peer, mode, lines }: Transfer): boolean {
  // A scan looks at all of the mirror.
  if (mode === 'scan' || lines.length > AT_ONCE) return true;
  return store.mirror.hasStaged(peer);
}

function* applyAll(tx: Transaction, plane: Plane, transfer: Transfer): Parts<'applied' | 'mismatch'> {
  const { peer, end } = transfer;
  const changes = yield* collect(tx, transfer);
  if (!(yield* addsUp(tx, transfer, changes))) {
    tx.mirror.clearStage(peer);
    return 'mismatch';
  }
  const absent = transfer.mode === 'scan' ? yield* gone(tx, transfer, changes) : [];
  const all = [...absent, ...changes.values()];
  refuseFlood(tx, plane, peer, all);
  yield;
  yield* applyChanges(tx, plane, transfer, all);
  tx.mirror.setPosition(peer, end);
  tx.mirror.clearStage(peer);
  return 'applied';
}

/**
 * The last line of each key, with the zone that the transport proves. Lines that can't be read are left out: the digest
 * will not match.
 */
function* collect(tx: Transaction, { peer, lines, origin }: Transfer): Parts<ReadonlyMap<string, ReceivedChange>> {
  const changes = new Map<string, ReceivedChange>();
  const add = (change: ReceivedChange) => changes.set(keyId(change.key), { ...change, before: tx.mirror.stamp(peer, change.key) });
  for (const staged of tx.mirror.staged(peer)) {
    add(receivedStaged(staged));
    yield;
  }
  for (const change of receivedLines(lines, origin)) add(change);
  yield;
  return changes;
}

/**
 * Whether the changes lead to the count and digest that the sender gave. Only items of its present term count: older
 * ones are not in its feed.
 */
function* addsUp(tx: Transaction, { peer, mode, end }: Transfer, changes: ReadonlyMap<string, ReceivedChange>): Parts<boolean> {
  const position = mode === 'delta' ? tx.mirror.position(peer) : undefined;
  let digest: Digest = position ? parseDigest(position.digest) : EMPTY_DIGEST;
  let count = position?.count ?? 0;
  for (const { wire, hash, before } of changes.values()) {
    yield;
    if (mode === 'delta' && before?.term === end.term) {
      digest = subtractHash(digest, before.hash);
      count -= 1;
    }
    if (wire !== '') {
      digest = addHash(digest, hash);
      count += 1;
    }
  }
  return formatDigest(digest) === end.digest && count === end.count;
}

/**
 * What a verified scan proves to be gone: what is in the mirror from the same store and term and was not listed.
 */
function* gone(tx: Transaction, { peer, end }: Transfer, changes: ReadonlyMap<string, ReceivedChange>): Parts<ReceivedChange[]> {
  const absent: ReceivedChange[] = [];
  for (const { key, hash, term } of tx.mirror.each(peer)) {
    yield;
    const listed = changes.get(keyId(key));
    if (term === end.term && (!listed || listed.wire === '')) absent.push({ ...receivedDelete(key), before: { hash, term } });
  }
  return absent;
}

/** What came or went in a transfer that may make good what was refused. */
interface SecondChance {
  readonly meshes: Set<string>;
  /** Names of copies, in this store. Global never takes one back. */
  readonly names: Set<string>;
}

function* applyChanges(tx: Transaction, plane: Plane, transfer: Transfer, changes: readonly ReceivedChange[]): Parts<void> {
  const { peer, origin } = transfer;
  const held = plane.quota && tx.holding(peer);
  const chance: SecondChance = { meshes: new Set(), names: new Set() };
  const ordered = meshesFirst(changes, ({ key }) => key.type);
  const bound = boundRefused(tx, plane, peer);
  for (const received of ordered) {
    yield;
    const { wire, hash, before } = received;
    if (wire !== '' && before?.hash === hash) keep(tx, transfer, received);
    else if (before || wire !== '') change(tx, plane, transfer, received, chance);
    bound('midway');
  }
  retryUnblocked(tx, plane, transfer, chance);
  forgetUnused(tx, plane, peer);
  retryOverQuota(tx, plane, peer, held, (item) => judge(tx, plane, peer, origin, item));
  bound('end');
}

/** An unchanged item is not written again, but it now counts as sent in the present term. */
function keep(tx: Transaction, { peer, end }: Transfer, { key, before }: ReceivedChange): void {
  const item = before?.term === end.term ? undefined : tx.mirror.get(peer, key);
  if (item) tx.mirror.put(peer, { ...item, term: end.term });
}

/** Takes one item into the mirror and, if it can be, into the store; or takes it away. */
function change(tx: Transaction, plane: Plane, transfer: Transfer, received: ReceivedChange, { meshes, names }: SecondChance): void {
  const { peer, origin, end } = transfer;
  const { key, wire, hash } = received;
  // Where the mirror had nothing, there is no copy.
  const name = isGlobal(plane.place) || !received.before ? undefined : tx.nameOf(key);
  if (wire === '') dropCopy(tx, peer, key);
  else {
    const put = judgeDecoded(tx, plane, peer, origin, { key, wire, hash, term: end.term }, itemOf(received));
    if (put && key.type === 'Mesh') meshes.add(key.name);
  }
  if (name !== undefined && tx.nameOf(key) !== name) names.add(name);
}

/** Refused ones are judged again when their mesh came, or the name that another one had became free. */
function retryUnblocked(tx: Transaction, plane: Plane, { peer, origin }: Transfer, { meshes, names }: SecondChance): void {
  if (meshes.size === 0 && names.size === 0) return;
  const called = [...names].map((name) => `"name":${JSON.stringify(name)}`);
  retryRefused(tx, plane, peer, origin, ({ key, wire }) => meshes.has(key.mesh) || called.some((name) => wire.includes(name)));
}
