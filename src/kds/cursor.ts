import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Head, Position, Reader, Store } from '../resource/store/store.ts';

/**
 * The setting that holds a store's secret. It is made together with the store's id. Else a backup could have the id but
 * no secret, and would get another one: then the cursors that the lost secret signed would prove nothing.
 */
export const SECRET = 'sign-secret';

/**
 * Signs cursors with a secret that never leaves the store that made it, and says in which life of a process that was
 * ('': it was not recorded).
 */
export interface CursorSigner {
  (text: string): string;
  readonly life: string;
}

export function signer(secret: string, life = ''): CursorSigner {
  return Object.assign((text: string) => createHmac('sha256', secret).update(text).digest('hex'), { life });
}

/**
 * A cursor for `peer`: how far it is in this store's feed once it has everything up to `head`. The receiver keeps it
 * and shows it at its next pull; the signature makes it this store's own word (docs/design/trust.md#cursors).
 */
export function makePosition(sign: CursorSigner, peer: string, head: Head, summary: { count: number; digest: string }): Position {
  const { store, term, revision } = head;
  const unsigned = { store, term, revision, digest: summary.digest, count: summary.count };
  return { ...unsigned, signature: signatureOf(sign, peer, unsigned, sign.life) };
}

/** The life in which a cursor was signed; '' if it does not say. */
export function epochOf({ signature }: Position): string {
  return signature.includes('.') ? signature.slice(0, signature.indexOf('.')) : '';
}

/** Whether `position` was made by the holder of the secret, for this peer. */
export function isOwn(sign: CursorSigner, peer: string, position: Position): boolean {
  const expected = Buffer.from(signatureOf(sign, peer, position, epochOf(position)));
  const given = Buffer.from(position.signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** `LIFE.HMAC`. The separator is in no part: zones are DNS labels, the rest are hex digits and integers. */
function signatureOf(sign: CursorSigner, peer: string, p: Omit<Position, 'signature'>, life: string): string {
  return `${life}.${sign([peer, p.store, p.term, p.revision, p.digest, p.count, life].join('|'))}`;
}

/** The time in which one process served the store. It wrote the revisions after `from`, until the next life began. */
interface Life {
  readonly id: string;
  readonly from: number;
}

/** How many lives are known. */
const KNOWN = 1_000;
const SETTING = 'lives';

/**
 * Begins a life of a process on this store, durably, before it writes anything else. `id`: hex digits that no other
 * life has, on whatever store. The same revision number can exist in two pasts, after a restore for example. The life
 * tells which one somebody saw.
 */
export function recordEpoch(store: Store, id: string): void {
  const lives = [...livesOf(store), { id, from: store.head().revision }].slice(-KNOWN);
  store.commit((tx) => tx.setSetting(SETTING, JSON.stringify(lives)));
}

/** The id of the present life; undefined: none was recorded. */
export function presentEpoch(reader: Reader): string | undefined {
  return livesOf(reader).at(-1)?.id;
}

/**
 * Whether a revision that was written in a life is of this store's own past.
 *
 *   life a from 0, life b from 80   b, revision 90: yes   a, revision 80: yes   a, revision 100: no, lost   c: no
 */
export function isOwnPast(reader: Reader, id: string, revision: number): boolean {
  const lives = livesOf(reader);
  const at = lives.findIndex((life) => life.id === id);
  return at >= 0 && revision <= (lives[at + 1]?.from ?? reader.head().revision);
}

/**
 * Whether a revision that was written in a life proves that this store was restored: this store knows no such past. The
 * store forgets its first lives. An unknown life may be one of those, unless it wrote after the first known life began.
 *
 *   life a from 0, life b from 80   a, revision 80: no   a, revision 100: yes, that was lost   c: yes
 *   the lives before c are forgotten, c from 500          a, revision 100: no                   x, revision 501: yes
 */
export function provesRestore(reader: Reader, id: string, revision: number): boolean {
  const lives = livesOf(reader);
  const isForgotten = lives.length >= KNOWN && lives.every((life) => life.id !== id) && revision <= (lives[0]?.from ?? 0);
  return !isForgotten && !isOwnPast(reader, id, revision);
}

function livesOf(reader: Reader): readonly Life[] {
  return JSON.parse(reader.setting(SETTING) ?? '[]') as Life[];
}
