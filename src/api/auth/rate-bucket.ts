import { RefillLevels, type RefillRate } from '../../control/plane/refill-level.ts';

/**
 * Token buckets, one for each key. `now`: milliseconds, monotonic.
 *
 *   {perSecond: 1, burst: 2} at 0 s: take, take -> 0, 0; take -> 1 (s to wait); at 1 s: take -> 0
 */
export class Buckets {
  private readonly rate: RefillRate;
  private readonly levels: RefillLevels;

  constructor(rate: RefillRate, now: () => number) {
    this.rate = rate;
    this.levels = new RefillLevels(rate, now);
  }

  /** Takes one. 0: it was there; else nothing was taken, and the whole seconds until there is one. */
  take(key: string): number {
    const level = this.levels.of(key);
    if (level.left < 1) return Math.max(1, Math.ceil((1 - level.left) / this.rate.perSecond));
    this.levels.set(key, { ...level, left: level.left - 1 });
    return 0;
  }

  giveBack(key: string): void {
    const level = this.levels.of(key);
    this.levels.set(key, { ...level, left: Math.min(this.rate.burst, level.left + 1) });
  }
}
