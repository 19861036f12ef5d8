import { LRUCache } from 'lru-cache';
import { refill, type RefillLevel, type RefillRate } from '../../control/plane/refill-level.ts';

/** Whoever was not seen for longest is forgotten first. With `max`, room for all would be taken at once. */
const MOST_KEYS = 10_000;

/**
 * Token buckets, one for each key. `now`: milliseconds, monotonic.
 *
 *   {perSecond: 1, burst: 2} at 0 s: take, take -> 0, 0; take -> 1 (s to wait); at 1 s: take -> 0
 */
export class Buckets {
  private readonly rate: RefillRate;
  private readonly now: () => number;

  private readonly levels = new LRUCache<string, RefillLevel>({ maxSize: MOST_KEYS, sizeCalculation: () => 1 });

  constructor(rate: RefillRate, now: () => number) {
    this.rate = rate;
    this.now = now;
  }

  /** Takes one. 0: it was there; else nothing was taken, and the whole seconds until there is one. */
  take(key: string): number {
    const level = this.level(key);
    if (level.left < 1) return Math.max(1, Math.ceil((1 - level.left) / this.rate.perSecond));
    this.levels.set(key, { ...level, left: level.left - 1 });
    return 0;
  }

  giveBack(key: string): void {
    const level = this.level(key);
    this.levels.set(key, { ...level, left: Math.min(this.rate.burst, level.left + 1) });
  }

  private level(key: string): RefillLevel {
    return refill(this.levels.get(key), this.rate, this.now());
  }
}
