import type { Reader, Store } from '../resource/store/store.ts';

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
