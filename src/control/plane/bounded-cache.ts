import { LRUCache } from 'lru-cache';

/**
 * Remembers `most` values at most; who was not asked for longest goes first. Most processes need room for few: with
 * lru-cache's `max`, room for all would be taken at once.
 */
export function boundedCache<V extends NonNullable<unknown>>(most: number): LRUCache<string, V> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}
