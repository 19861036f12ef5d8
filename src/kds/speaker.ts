import type { Body, Speaker } from './protocol.ts';

/** A store's processes in the order of their starts; a recovered store's later term comes after all that was before. */
export function compareSpeakers(a: Speaker, b: Speaker): number {
  if (a.store === b.store && a.term !== b.term) return a.term - b.term;
  if (a.incarnation !== b.incarnation) return a.incarnation - b.incarnation;
  return a.instance < b.instance ? -1 : a.instance > b.instance ? 1 : 0;
}

/**
 * Compares `from` with the present speaker: above 0 is later, 0 the same, below 0 earlier. A speaker whose store is no
 * longer pinned does not count.
 */
export function orderOf(speaker: Speaker | undefined, from: Speaker): number {
  return speaker && speaker.store === from.store ? compareSpeakers(from, speaker) : 1;
}

/**
 * Whether the cursor that a message gives out, if it does, is of the store and term that speak: nobody vouches for
 * another one.
 */
export function isOf({ store, term }: Speaker, body: Body): boolean {
  const given = body.kind === 'status' ? body.head : body.kind === 'page' || body.kind === 'push' ? body.end : undefined;
  return given === undefined || (given.store === store && given.term === term);
}
