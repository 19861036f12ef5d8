import { MeridianError } from '../../errors.ts';
import type { Divergence } from '../../kds/serve-pulls.ts';
import { GLOBAL_PEER, peerName } from '../../resource/audience.ts';
import { GLOBAL } from '../../resource/resource.ts';
import type { MirrorItem, Reader, Transaction } from '../../resource/store/store.ts';
import { dropCopy } from '../put/put-copy.ts';
import { placeOf, readPeer, writePeer } from '../peers/known-peers.ts';
import type { Plane } from '../plane/plane.ts';
import { judge } from '../receive/apply-transfer.ts';
import { retryRefused } from '../receive/retry-refused.ts';
import { useRoom } from '../receive/retry-over-quota.ts';

const DIVERGED = 'diverged';
/** The highest term that was shown: one of a recovery that the backup does not know. */
const SHOWN = 'diverged-term';

/** Why this store may not send: a peer showed it its own signature on something it does not know. undefined: it may. */
export function diverged(reader: Reader): string | undefined {
  return reader.setting(DIVERGED) || undefined;
}

/** Kept over restarts, until an operator says `recover`. */
export function markDiverged(tx: Transaction, { diverged: reason, term }: Divergence): void {
  tx.setSetting(DIVERGED, reason);
  tx.setSetting(SHOWN, String(Math.max(term, Number(tx.setting(SHOWN) ?? 0))));
}

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

/** What was done, in sentences. */
export function recover(plane: Plane, order: RecoverOrder): readonly string[] {
  return plane.store.commit((tx) => {
    const done = [
      ...(diverged(tx) === undefined ? [] : [raiseTerm(tx)]),
      ...(order.acceptStore === undefined ? [] : [acceptStore(tx, order.acceptStore, order.store)]),
      ...(order.dropAbsent === undefined ? [] : [dropAbsent(tx, plane, order.dropAbsent)]),
    ];
    return done.length > 0 ? done : ['nothing to recover from'];
  });
}

/** Peers scan this store again. What they have from the earlier term stays until it is sent again or given up. */
function raiseTerm(tx: Transaction): string {
  const term = Math.max(tx.head().term, Number(tx.setting(SHOWN) ?? 0)) + 1;
  tx.setSetting('term', String(term));
  tx.setSetting(DIVERGED, '');
  return `this store sends again, in term ${term}`;
}

/** The store is pinned. Nothing of the old one proves anything any more. */
function acceptStore(tx: Transaction, peer: string, store = ''): string {
  if (!readPeer(tx, peer)) throw new MeridianError('not_found', `nothing ever spoke as ${peerName(peer)}`);
  // The new store may have another environment or system namespace. It introduces itself again, and its items are
  // judged by that, even those that the old store sent too.
  writePeer(tx, peer, { store });
  for (const item of [...tx.mirror.each(peer)]) tx.mirror.put(peer, { ...item, ...LOST });
  tx.mirror.setPosition(peer, undefined);
  return store === '' ? `the next store that speaks for ${peerName(peer)} is accepted` : `store ${store} is accepted for ${peerName(peer)}`;
}

/** Items of the old store: they get no term and an unequal hash, so that nothing that arrives is taken for the same. */
const LOST = { term: 0, hash: '' };

/** Whether an item is of a store that an operator gave up, and was not sent again. */
export function isLost({ term }: MirrorItem): boolean {
  return term === LOST.term;
}

function dropAbsent(tx: Transaction, plane: Plane, peer: string): string {
  const orphans = orphansOf(tx, peer);
  const held = plane.quota && tx.holding(peer);
  for (const { key } of orphans) dropCopy(tx, peer, key);
  const origin = placeOf(tx, peer);
  if (origin) useRoom(tx, plane, peer, held, (item) => judge(tx, plane, peer, origin, item));
  // In a zone one of those may have had the name of what the peer sends now.
  if (peer === GLOBAL_PEER) retryRefused(tx, plane, peer, GLOBAL, () => true);
  return `dropped ${orphans.length} that ${peerName(peer)} sent in an earlier term and has not sent since`;
}

/** What stays in force although the peer's present store and term do not have it. */
export function orphansOf(reader: Reader, peer: string): readonly MirrorItem[] {
  const term = reader.mirror.position(peer)?.term;
  return term === undefined ? [] : [...reader.mirror.each(peer)].filter((item) => item.term !== term);
}
