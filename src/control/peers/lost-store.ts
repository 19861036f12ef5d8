import type { MirrorItem, Reader } from '../../resource/store/store.ts';

/** What the old store had sent: of no term, and like nothing that comes. */
export const LOST = { term: 0, hash: '' };

/** Whether an item is of a store that an operator gave up, and was not sent again. */
export function isLost({ term }: MirrorItem): boolean {
  return term === LOST.term;
}

/** What stays in force although the peer's present store and term do not have it. */
export function orphansOf(reader: Reader, peer: string): readonly MirrorItem[] {
  const term = reader.mirror.position(peer)?.term;
  return term === undefined ? [] : [...reader.mirror.each(peer)].filter((item) => item.term !== term);
}
