import type { Parts } from '../../resource/store/parts.ts';
import type { MirrorItem, Reader } from '../../resource/store/store.ts';

/** What the old store had sent: of no term, and like nothing that comes. */
export const LOST = { term: 0, hash: '' };

/** Whether an item is of a store that an operator gave up, and was not sent again. */
export function isLost({ term }: MirrorItem): boolean {
  return term === LOST.term;
}

/**
 * What stays in force although the peer's present store and term do not have it. Nothing is read where there is as much
 * as the peer's cursor counts, which is nearly always. A step for each item.
 */
export function* orphansOf({ mirror }: Pick<Reader, 'mirror'>, peer: string): Parts<readonly MirrorItem[]> {
  const position = mirror.position(peer);
  if (!position || mirror.size(peer) === position.count) return [];
  const orphans: MirrorItem[] = [];
  for (const item of mirror.each(peer)) {
    if (item.term !== position.term) orphans.push(item);
    yield;
  }
  return orphans;
}
