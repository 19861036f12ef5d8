import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Head, Position } from '../resource/store.js';

/** Signs cursors with a secret that never leaves the store that made it. */
export type Sign = (text: string) => string;

export function signer(secret: string): Sign {
  return (text) => createHmac('sha256', secret).update(text).digest('hex');
}

/**
 * A cursor for `peer`: how far it is in this store's feed once it has everything up to `head`. The receiver keeps it and shows it at
 * its next pull; the signature makes it this store's own word (design, section 4, "Trust in a store").
 */
export function makePosition(sign: Sign, peer: string, head: Head, summary: { count: number; digest: string }): Position {
  const { store, term, revision } = head;
  const unsigned = { store, term, revision, digest: summary.digest, count: summary.count };
  return { ...unsigned, signature: sign(signedText(peer, unsigned)) };
}

/** Whether `position` was made by the holder of the secret, for this peer. */
export function isOwn(sign: Sign, peer: string, position: Position): boolean {
  const expected = Buffer.from(sign(signedText(peer, position)));
  const given = Buffer.from(position.signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** The separator is in no part: zones are DNS labels, the rest are hex digits and integers. */
function signedText(peer: string, p: Omit<Position, 'signature'>): string {
  return [peer, p.store, p.term, p.revision, p.digest, p.count].join('|');
}
