import type { Clock } from './clock.ts';

const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;

/** A resource that a proxy does not take. */
export interface ProxyRefusal {
  readonly name: string;
  /** That was refused; '' is its removal. */
  readonly version: string;
  /** The proxy's own words. */
  readonly message: string;
  /** Since when the proxy has not had what it should have. */
  readonly since: string;
  /** How often this version was refused. */
  readonly attempts: number;
}

interface KeptRefusal extends ProxyRefusal {
  readonly retryAt: number;
}

/**
 * What one proxy refuses of one type, and when each is tried again: after 1 s, 2 s, 4 s, a minute at most. Another
 * version goes at once.
 */
export class Nacks {
  private readonly clock: Clock;

  private readonly kept = new Map<string, KeptRefusal>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  add(name: string, version: string, message: string): void {
    const before = this.kept.get(name);
    const attempts = before?.version === version ? before.attempts + 1 : 1;
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(attempts - 1, 10));
    const since = before?.since ?? this.clock.time();
    this.kept.set(name, { name, version, message, since, attempts, retryAt: this.clock.now() + pause });
  }

  clear(name: string): void {
    this.kept.delete(name);
  }

  /** Whether this version was refused too lately to be tried again. */
  holds(name: string, version: string): boolean {
    const refusal = this.kept.get(name);
    return refusal?.version === version && this.clock.now() < refusal.retryAt;
  }

  /** When the first after `since` may be tried again; undefined: none waits for that. */
  retryAt(since: number): number | undefined {
    const times = [...this.kept.values()].map(({ retryAt }) => retryAt).filter((time) => time > since);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  list(): ProxyRefusal[] {
    return [...this.kept.values()].map(({ retryAt: _, ...refusal }) => refusal);
  }
}
