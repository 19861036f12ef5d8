import type { Reader } from '../../resource/store/store.ts';
import type { PeerView } from '../peers/peer-view.ts';
import { keyId } from '../../resource/key.ts';

/** Bytes of changes that are looked through for one peer: a thousand may be behind. */
const LOOKED_THROUGH = 64 * 1024;

/**
 * How many resources for a peer changed since its last word: what the ledger calls on its way, deletes too. In doubt
 * (another store or term, further behind than the log reaches, more than is looked through) it is all that is for it,
 * and at least what was seen.
 *
 *   acknowledged revision 7; a changed in 8 and 9, b was deleted in 9  ->  2
 */
export function lateAt({ feed }: Reader, { ack, head, peer }: Pick<PeerView, 'ack' | 'head' | 'peer'>): number {
  const at = ack?.position;
  if (!at || at.store !== head.store || at.term !== head.term || !feed.reaches(at.revision)) return head.count;
  if (at.revision >= head.revision) return 0;
  const { changes, next } = feed.changes(peer, at.revision, 0, LOOKED_THROUGH);
  const seen = new Set(changes.map(({ key }) => keyId(key))).size;
  return next === undefined ? seen : Math.max(seen, head.count);
}
