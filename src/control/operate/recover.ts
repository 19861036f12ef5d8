import { MeridianError } from '../../errors.ts';
import { GLOBAL_PEER, peerName } from '../../resource/audience.ts';
import { GLOBAL } from '../../resource/resource.ts';
import type { Parts } from '../../resource/store/parts.ts';
import type { MirrorItem, Transaction } from '../../resource/store/store.ts';
import { dropCopy } from '../put/put-copy.ts';
import { placeOf, readPeer, writePeer } from '../peers/known-peers.ts';
import { clearDiverged, diverged, shownTerm } from '../peers/divergence.ts';
import { LOST, orphansOf } from '../peers/lost-store.ts';
import type { Plane } from '../plane/plane.ts';
import { judge } from '../receive/judge-item.ts';
import { retryRefused } from '../receive/retry-refused.ts';
import { retryOverQuota } from '../receive/retry-over-quota.ts';

/** What an operator can say (docs/design/trust.md#the-operators-word). */
export interface RecoverOrder {
  /** Take the store that now speaks for this peer: its old one is lost. */
  readonly acceptStore?: string | undefined;
  /**
   * Which one: the id that was refused. Without it, the next store that speaks is taken, be it the old one that
   * somebody forgot to stop.
   */
  readonly store?: string | undefined;
  /** Give up what this peer had sent in an earlier term or from an earlier store, and has not sent since. */
  readonly dropAbsent?: string | undefined;
}

/** Does it, in steps. Out: what was done, in sentences. */
export function* recover(tx: Transaction, plane: Plane, order: RecoverOrder): Parts<readonly string[]> {
  const done = [
    ...(diverged(tx) === undefined ? [] : [raiseTerm(tx)]),
    ...(order.acceptStore === undefined ? [] : [yield* acceptStore(tx, order.acceptStore, order.store)]),
    ...(order.dropAbsent === undefined ? [] : [yield* dropAbsent(tx, plane, order.dropAbsent)]),
  ];
  return done.length > 0 ? done : ['nothing to recover from'];
}

/** Peers scan this store again. What they have from the earlier term stays until it is sent again or given up. */
function raiseTerm(tx: Transaction): string {
  const term = Math.max(tx.head().term, shownTerm(tx)) + 1;
  tx.setSetting('term', String(term));
  clearDiverged(tx);
  return `this store sends again, in term ${term}`;
}

/** The store is pinned. Nothing of the old one proves anything any more. */
function* acceptStore(tx: Transaction, peer: string, store = ''): Parts<string> {
  if (!readPeer(tx, peer)) throw new MeridianError('not_found', `nothing ever spoke as ${peerName(peer)}`);
  // The new store may have another environment or system namespace. It introduces itself again, and its items are
  // judged by that, even those that the old store sent too.
  writePeer(tx, peer, { store });
  const items: MirrorItem[] = [];
  for (const item of tx.mirror.each(peer)) {
    items.push(item);
    yield;
  }
  for (const item of items) {
    tx.mirror.put(peer, { ...item, ...LOST });
    yield;
  }
  tx.mirror.setPosition(peer, undefined);
  return store === '' ? `the next store that speaks for ${peerName(peer)} is accepted` : `store ${store} is accepted for ${peerName(peer)}`;
}

function* dropAbsent(tx: Transaction, plane: Plane, peer: string): Parts<string> {
  const orphans = yield* orphansOf(tx, peer);
  const held = plane.quota && tx.holding(peer);
  for (const { key } of orphans) {
    dropCopy(tx, peer, key);
    yield;
  }
  const origin = placeOf(tx, peer);
  if (origin) retryOverQuota(tx, plane, peer, held, (item) => judge(tx, plane, peer, origin, item));
  // In a zone one of those may have had the name of what the peer sends now.
  if (peer === GLOBAL_PEER) retryRefused(tx, plane, peer, GLOBAL, () => true);
  return `dropped ${orphans.length} that ${peerName(peer)} sent in an earlier term and has not sent since`;
}
