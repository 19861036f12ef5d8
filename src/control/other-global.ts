import { compareSpeakers } from '../kds/speaker.ts';
import { LATE, type Speaker, STATUS_INTERVAL } from '../kds/protocol.ts';

/**
 * Two processes of global hear each other: the later one goes on. What is heard of it once may be a late word of one that is gone, for a restored store
 * has forgotten how often it was started.
 *
 *   7 hears 8                     -> 8 may be gone, and this was on its way
 *   7 hears 8, a while, 8 again   -> 8 lives: 7 ends
 *   8 hears 7                     -> 8 says that it is there
 */
export class OtherGlobal {
  private announcedAt = Number.NEGATIVE_INFINITY;
  private later: { readonly instance: string; readonly since: number } | undefined;

  /** What to do about a word of a process of global, `now` (monotonic ms). */
  heard(from: Speaker, self: Speaker, now: number): 'end' | 'announce' | 'nothing' {
    if (from.instance === self.instance) return 'nothing';
    if (compareSpeakers(from, self) < 0) return 'announce';
    if (this.later?.instance !== from.instance) this.later = { instance: from.instance, since: now };
    return now - this.later.since >= LATE ? 'end' : 'nothing';
  }

  /** Whether it is time to be heard: the first word may have been lost. */
  isDue(now: number): boolean {
    return now - this.announcedAt >= STATUS_INTERVAL;
  }

  announced(now: number): void {
    this.announcedAt = now;
  }
}
