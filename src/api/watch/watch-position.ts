import { isOwnPast } from '../../kds/cursor.ts';
import { invalid } from '../../errors.ts';
import type { Moment } from '../../resource/store/history.ts';
import type { Reader } from '../../resource/store/store.ts';

/** Where a watch begins. */
export type WatchStart =
  /** The client has all that is before. */
  | { readonly kind: 'resume'; readonly at: Moment }
  /** The client must forget what it has, and gets everything as it is now. */
  | { readonly kind: 'reset'; readonly reason: string };

/** Behind every key of a revision. */
export const END = Number.MAX_SAFE_INTEGER;
/** Before everything. */
export const BEGINNING: Moment = { revision: 0, number: 0 };

/** A moment as clients keep it: `<epoch>.<revision>`; in the midst of a revision with the number of the last key. */
export function formatPosition(epoch: string, { revision, number }: Moment): string {
  return number === END ? `${epoch}.${revision}` : `${epoch}.${revision}.${number}`;
}

/**
 * Where to go on from `since`: a position, a revision alone (the client knows that it is of this store), `now`, or null
 * for everything. Throws `invalid` for anything else.
 *
 *   a position of another store, or of what a restore undid  ->  reset
 *   one from before what is known of deletions               ->  reset
 */
export function startAt(since: string | null, store: Reader): WatchStart {
  if (since === null) return { kind: 'reset', reason: 'no position was given' };
  if (since === 'now') return { kind: 'resume', at: { revision: store.head().revision, number: END } };
  const [, epoch, digits = '', key] = /^(?:([0-9a-f]{1,64})\.)?(\d{1,15})(?:\.(\d{1,15}))?$/.exec(since) ?? [];
  if (digits === '' || (epoch === undefined && key !== undefined)) {
    throw invalid([{ field: 'since', reason: 'must be a position that a watch gave, a revision, or now' }]);
  }
  const at = { revision: Number(digits), number: key === undefined ? END : Number(key) };
  const known = epoch === undefined ? at.revision <= store.head().revision : isOwnPast(store, epoch, at.revision);
  if (!known) return { kind: 'reset', reason: 'the position is of another store, or of what a restore undid' };
  if (!store.history.reaches(at.revision)) return { kind: 'reset', reason: 'the position is from before what is known of deletions' };
  return { kind: 'resume', at };
}
