import { boundedCache } from './bounded-cache.ts';

/** How much there is at most, and how much comes back in each second. */
export interface RefillRate {
  readonly burst: number;
  readonly perSecond: number;
}

/** What was left of it, and when (ms, monotonic). Less than nothing is owed. */
export interface RefillLevel {
  readonly left: number;
  readonly at: number;
}

/**
 * The level as it is `now`; undefined: nothing was taken yet, or all has come back.
 *
 *   {burst: 10, perSecond: 2}, {left: -1, at: 0 s} at 3 s -> 5 left
 */
export function refill(level: RefillLevel | undefined, { burst, perSecond }: RefillRate, now: number): RefillLevel {
  if (!level) return { left: burst, at: now };
  return { left: Math.min(burst, level.left + ((now - level.at) / 1000) * perSecond), at: now };
}

/** Whoever was not seen for longest is forgotten first. */
const MOST_KEYS = 10_000;

/** A level for each key. `now`: milliseconds, monotonic. */
export class RefillLevels {
  readonly #rate: RefillRate;
  readonly #now: () => number;
  readonly #levels = boundedCache<RefillLevel>(MOST_KEYS);

  constructor(rate: RefillRate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /** As it is now. */
  of(key: string): RefillLevel {
    return refill(this.#levels.get(key), this.#rate, this.#now());
  }

  set(key: string, level: RefillLevel): void {
    this.#levels.set(key, level);
  }
}
