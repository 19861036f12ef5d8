import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../plane/bounded-cache.ts';

/** Peers of whom something is remembered: without credentials anybody on the machine can invent zones. */
const MOST = 10_000;

/** Something that is remembered of each peer. */
export function perPeer<V extends NonNullable<unknown>>(): LRUCache<string, V> {
  return boundedCache(MOST);
}
