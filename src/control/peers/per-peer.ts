import { LRUCache } from 'lru-cache';

/** Peers of whom something is remembered: without credentials anybody on the machine can invent zones. */
const MOST = 10_000;

/**
 * Something that is remembered of each peer. Most processes have few: with `max`, room for all would be taken at once.
 */
export function perPeer<V extends NonNullable<unknown>>(): LRUCache<string, V> {
  return new LRUCache({ maxSize: MOST, sizeCalculation: () => 1 });
}
