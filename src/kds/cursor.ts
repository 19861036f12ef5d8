import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Head, Position } from '../resource/store/store.ts';

/**
 * The setting that holds a store's secret. It is made together with the store's id. Else a backup could have the id but
 * no secret, and would get another one: then the cursors that the lost secret signed would prove nothing.
 */
export const SECRET = 'sign-secret';

/**
 * Signs cursors with a secret that never leaves the store that made it, and says in which life of a process that was
 * (lives.ts; '': it was not recorded).
 */
export interface Sign {
  (text: string): string;
  readonly life: string;
}

export function signer(secret: string, life = ''): Sign {
  return Object.assign((text: string) => createHmac('sha256', secret).update(text).digest('hex'), { life });
}

/**
 * A cursor for `peer`: how far it is in this store's feed once it has everything up to `head`. The receiver keeps it
 * and shows it at its next pull; the signature makes it this store's own word (docs/design/trust.md#cursors).
 */
export function makePosition(sign: Sign, peer: string, head: Head, summary: { count: number; digest: string }): Position {
  const { store, term, revision } = head;
  const unsigned = { store, term, revision, digest: summary.digest, count: summary.count };
  return { ...unsigned, signature: signatureOf(sign, peer, unsigned, sign.life) };
}

/** The life in which a cursor was signed; '' if it does not say. */
export function epochOf({ signature }: Position): string {
  return signature.includes('.') ? signature.slice(0, signature.indexOf('.')) : '';
}

/** Whether `position` was made by the holder of the secret, for this peer. */
export function isOwn(sign: Sign, peer: string, position: Position): boolean {
  const expected = Buffer.from(signatureOf(sign, peer, position, epochOf(position)));
  const given = Buffer.from(position.signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** `LIFE.HMAC`. The separator is in no part: zones are DNS labels, the rest are hex digits and integers. */
function signatureOf(sign: Sign, peer: string, p: Omit<Position, 'signature'>, life: string): string {
  return `${life}.${sign([peer, p.store, p.term, p.revision, p.digest, p.count, life].join('|'))}`;
}
