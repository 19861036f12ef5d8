import type { Divergence } from '../../kds/serve-pulls.ts';
import type { Reader, Transaction } from '../../resource/store/store.ts';

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
  tx.setSetting(SHOWN, String(Math.max(term, shownTerm(tx))));
}

/** An operator said `recover`. */
export function clearDiverged(tx: Transaction): void {
  tx.setSetting(DIVERGED, '');
}

/** The highest term in which a peer knows this store; 0: none was shown. */
export function shownTerm(reader: Reader): number {
  return Number(reader.setting(SHOWN) ?? 0);
}
