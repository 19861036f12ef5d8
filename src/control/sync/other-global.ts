import { compareSpeakers } from '../../kds/sender-identity.ts';
import { LATE, SILENCE, type Speaker, STATUS_INTERVAL } from '../../kds/protocol.ts';

/**
 * Two processes of global hear each other: of one store the later one goes on. What is heard of it once may be a late
 * word of one that is gone, for a restored store has forgotten how often it was started. Another store ends nothing,
 * however often it was started: it may be an empty volume. Both warn, and each zone goes on with the store that it
 * pinned.
 *
 *   7 hears 8                     -> 8 may be gone, and this was on its way
 *   7 hears 8, a while, 8 again   -> 8 lives: 7 ends
 *   8 hears 7                     -> 8 says that it is there
 *   7 hears 9 of another store    -> a warning
 */
export class OtherGlobal {
  private announcedAt = Number.NEGATIVE_INFINITY;
  private later: { readonly instance: string; readonly since: number } | undefined;
  private strange: { readonly store: string; readonly at: number } | undefined;

  /** What to do about a word of a process of global, `now` (monotonic ms). */
  heard(from: Speaker, self: Speaker, now: number): 'end' | 'announce' | 'warn' | 'nothing' {
    if (from.instance === self.instance) return 'nothing';
    if (from.store !== self.store) {
      this.strange = { store: from.store, at: now };
      return 'warn';
    }
    if (compareSpeakers(from, self) < 0) return 'announce';
    if (this.later?.instance !== from.instance) this.later = { instance: from.instance, since: now };
    return now - this.later.since >= LATE ? 'end' : 'nothing';
  }

  /** The other store that speaks as global, if one was heard of late. */
  stranger(now: number): string | undefined {
    return this.strange && now - this.strange.at <= SILENCE ? this.strange.store : undefined;
  }

  /** Whether it is time to be heard: the first word may have been lost. */
  isDue(now: number): boolean {
    return now - this.announcedAt >= STATUS_INTERVAL;
  }

  announced(now: number): void {
    this.announcedAt = now;
  }
}
