/** What a peer may take of this process's time, as a part of it. */
const SHARE = 0.5;
/** What of it can be saved up, and owed at most. ms */
export const BURST = 2_000;
export const MOST_OWED = 5_000;

interface Account {
  readonly left: number;
  readonly at: number;
}

/**
 * How much time of this process each peer takes: one that takes more than its share waits until it has paid for that.
 * All run in one thread, so that the time which passes while something is done for a peer is what it takes.
 *
 *   east takes 3 s at once: 2 s were saved up, 1 s is owed   ->  it waits 2 s
 *   east takes 20 s at once                                  ->  it waits 10 s
 */
export class TimeBudget {
  readonly #now: () => number;
  /** Those that have not all that can be saved up. */
  readonly #accounts = new Map<string, Account>();

  /** `now`: monotonic, ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** What `what` gives; the peer is charged with the time. */
  charge<T>(peer: string, what: () => T): T {
    const before = this.#now();
    try {
      return what();
    } finally {
      const at = this.#now();
      const left = Math.max(-MOST_OWED, this.#left(peer, at) - (at - before));
      if (left < BURST) this.#accounts.set(peer, { left, at });
    }
  }

  isOver(peer: string): boolean {
    return this.#left(peer, this.#now()) < 0;
  }

  /** Forgets those that owe nothing any more. To be called from time to time. */
  settle(): void {
    const now = this.#now();
    for (const peer of this.#accounts.keys()) if (this.#left(peer, now) >= BURST) this.#accounts.delete(peer);
  }

  #left(peer: string, now: number): number {
    const { left, at } = this.#accounts.get(peer) ?? { left: BURST, at: now };
    return Math.min(BURST, left + SHARE * (now - at));
  }
}
