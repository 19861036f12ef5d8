import { type Sign, signer } from '../kds/cursor.js';
import { presentLife } from '../kds/lives.js';
import type { Speaker } from '../kds/protocol.js';
import type { Store } from '../resource/store.js';

/** Who this process is to its peers, and how its store signs. */
export interface Identity {
  readonly self: Speaker;
  readonly sign: Sign;
}

const SECRET = 'sign-secret';
const INCARNATION = 'incarnation';

/**
 * Begins to speak for this store, in a life that was recorded (src/kds/lives.ts): raises the incarnation, durably, before anything is said. `random` gives hex digits, at least 32 of them, fresh at each
 * call. The secret is made once and never leaves the store.
 */
export function beginLife(store: Store, random: () => string): Identity {
  const fresh = { secret: random(), instance: random() };
  const { incarnation, secret } = store.commit((tx) => {
    const next = Number(tx.setting(INCARNATION) ?? '0') + 1;
    tx.setSetting(INCARNATION, String(next));
    const known = tx.setting(SECRET);
    if (known === undefined) tx.setSetting(SECRET, fresh.secret);
    return { incarnation: next, secret: known ?? fresh.secret };
  });
  const { store: id, term } = store.head();
  return { self: { store: id, term, incarnation, instance: fresh.instance }, sign: signer(secret, presentLife(store)) };
}
