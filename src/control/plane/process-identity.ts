import { MeridianError } from '../../errors.ts';
import { SECRET, type CursorSigner, signer, presentEpoch } from '../../kds/cursor.ts';
import type { Speaker } from '../../kds/protocol.ts';
import type { Store } from '../../resource/store/store.ts';

/** Who this process is to its peers, and how its store signs. */
export interface Identity {
  readonly self: Speaker;
  readonly sign: CursorSigner;
}

const INCARNATION = 'incarnation';

/**
 * Begins to speak for this store, in an epoch that was recorded (src/kds/cursor.ts): raises the incarnation, durably,
 * before anything is said. `random` gives hex digits, at least 32 of them, fresh at each call. The secret never leaves
 * the store.
 */
export function beginEpoch(store: Store, random: () => string): Identity {
  const incarnation = store.commit((tx) => {
    const next = Number(tx.setting(INCARNATION) ?? '0') + 1;
    tx.setSetting(INCARNATION, String(next));
    return next;
  });
  const { store: id, term } = store.head();
  const secret = store.setting(SECRET);
  if (!secret) throw new MeridianError('internal', 'the store has no secret to sign with');
  return { self: { store: id, term, incarnation, instance: random() }, sign: signer(secret, presentEpoch(store)) };
}
