import { refill, type RefillLevel, type RefillRate } from './refill-level.ts';

/** What of this process's time a peer can have saved up, and owe at most. ms */
export const BURST = 2_000;
export const MOST_OWED = 5_000;

/** It may take half of this process's time. */
const RATE: RefillRate = { burst: BURST, perSecond: 500 };

/**
 * How much time of this process each peer takes: one that takes more than its share waits until it has paid for that.
 * All run in one thread, so that the time which passes while something is done for a peer is what it takes.
 *
 *   east takes 3 s at once: 2 s were saved up, 1 s is owed   ->  it waits 2 s
 *   east takes 20 s at once                                  ->  it waits 10 s
 */
export class TimeBudget {
  readonly #now: () => number;
  readonly #rate: RefillRate;
  /** Those that have not all that can be saved up. */
  readonly #levels = new Map<string, RefillLevel>();

  /** `now`: monotonic, ms; so is `rate`. */
  constructor(now: () => number, rate: RefillRate = RATE) {
    this.#now = now;
    this.#rate = rate;
  }

  /** What `what` gives; the peer is charged with the time. */
  charge<T>(peer: string, what: () => T): T {
    const before = this.#now();
    try {
      return what();
    } finally {
      const at = this.#now();
      const left = Math.max(-MOST_OWED, this.#left(peer, at) - (at - before));
      if (left < this.#rate.burst) this.#levels.set(peer, { left, at });
    }
  }

  isOver(peer: string): boolean {
    return this.#left(peer, this.#now()) < 0;
  }

  /** Forgets those that owe nothing any more. To be called from time to time. */
  settle(): void {
    const now = this.#now();
    for (const peer of this.#levels.keys()) if (this.#left(peer, now) >= this.#rate.burst) this.#levels.delete(peer);
  }

  #left(peer: string, now: number): number {
    return refill(this.#levels.get(peer), this.#rate, now).left;
  }
}
