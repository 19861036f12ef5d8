import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Head, Position, Reader, Store } from '../resource/store/store.ts';

/**
 * The setting that holds a store's secret. It is made together with the store's id. Else a backup could have the id but
 * no secret, and would get another one: then the cursors that the lost secret signed would prove nothing.
 */
export const SECRET = 'sign-secret';

/**
 * Signs cursors with a secret that never leaves the store that made it, and says in which process epoch that was ('':
 * it was not recorded).
 */
export interface CursorSigner {
  (text: string): string;
  readonly epoch: string;
}

export function signer(secret: string, epoch = ''): CursorSigner {
  return Object.assign((text: string) => createHmac('sha256', secret).update(text).digest('hex'), { epoch });
}

/**
 * A cursor for `peer`: how far it is in this store's feed once it has everything up to `head`. The receiver keeps it
 * and shows it at its next pull; the signature makes it this store's own word (docs/design/trust.md#cursors).
 */
export function makePosition(sign: CursorSigner, peer: string, head: Head, summary: { count: number; digest: string }): Position {
  const { store, term, revision } = head;
  const unsigned = { store, term, revision, digest: summary.digest, count: summary.count };
  return { ...unsigned, signature: signatureOf(sign, peer, unsigned, sign.epoch) };
}

/** The epoch in which a cursor was signed; '' if it does not say. */
export function epochOf({ signature }: Position): string {
  return signature.includes('.') ? signature.slice(0, signature.indexOf('.')) : '';
}

/** Whether `position` was made by the holder of the secret, for this peer. */
export function isOwn(sign: CursorSigner, peer: string, position: Position): boolean {
  const expected = Buffer.from(signatureOf(sign, peer, position, epochOf(position)));
  const given = Buffer.from(position.signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** `EPOCH.HMAC`. The separator is in no part: zones are DNS labels, the rest are hex digits and integers. */
function signatureOf(sign: CursorSigner, peer: string, p: Omit<Position, 'signature'>, epoch: string): string {
  return `${epoch}.${sign([peer, p.store, p.term, p.revision, p.digest, p.count, epoch].join('|'))}`;
}

/** The time in which one process served the store. It wrote the revisions after `from`, until the next epoch began. */
interface ProcessEpoch {
  readonly id: string;
  readonly from: number;
}

/** How many epochs are known. */
const KNOWN = 1_000;
/** As stores have it since the first ones. */
const SETTING = 'lives';

/**
 * Begins a process epoch on this store, durably, before it writes anything else. `id`: hex digits that no other epoch
 * has, on whatever store. The same revision number can exist in two pasts, after a restore for example. The epoch tells
 * which one somebody saw.
 */
export function recordEpoch(store: Store, id: string): void {
  const epochs = [...epochsOf(store), { id, from: store.head().revision }].slice(-KNOWN);
  store.commit((tx) => tx.setSetting(SETTING, JSON.stringify(epochs)));
}

/** The id of the present epoch; undefined: none was recorded. */
export function presentEpoch(reader: Reader): string | undefined {
  return epochsOf(reader).at(-1)?.id;
}

/**
 * Whether a revision that was written in an epoch is of this store's own past.
 *
 *   epoch a from 0, epoch b from 80   b, revision 90: yes   a, revision 80: yes   a, revision 100: no, lost   c: no
 */
export function isOwnPast(reader: Reader, id: string, revision: number): boolean {
  const epochs = epochsOf(reader);
  const at = epochs.findIndex((epoch) => epoch.id === id);
  return at >= 0 && revision <= (epochs[at + 1]?.from ?? reader.head().revision);
}

/**
 * Whether a revision that was written in an epoch proves that this store was restored: this store knows no such past.
 * The store forgets its first epochs. An unknown epoch may be one of those, unless it wrote after the first known epoch
 * began.
 *
 *   epoch a from 0, epoch b from 80   a, revision 80: no   a, revision 100: yes, that was lost   c: yes
 *   the epochs before c are forgotten, c from 500   a, revision 100: no     x, revision 501: yes
 */
export function provesRestore(reader: Reader, id: string, revision: number): boolean {
  const epochs = epochsOf(reader);
  const isForgotten = epochs.length >= KNOWN && epochs.every((epoch) => epoch.id !== id) && revision <= (epochs[0]?.from ?? 0);
  return !isForgotten && !isOwnPast(reader, id, revision);
}

function epochsOf(reader: Reader): readonly ProcessEpoch[] {
  return JSON.parse(reader.setting(SETTING) ?? '[]') as ProcessEpoch[];
}
