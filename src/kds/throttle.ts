/** A line, and how many of its kind were kept back since the one before. */
export interface ThrottledLine<T> {
  readonly line: T;
  readonly more: number;
}

interface ThrottlePeriod<T> {
  /** When the period began (monotonic ms). */
  since: number;
  /** Kept back in it: how many, and the last one. */
  more: number;
  last?: T | undefined;
}

const PERIOD = 60_000;

/**
 * Keeps a peer from filling the log. The first line of each kind is logged at once, then one a minute, with the number
 * of those left out. There are few kinds: each is a proven peer and one of our own sentences, never a peer's words.
 * `now`: monotonic ms.
 *
 *   0 s  east: refused a   -> refused a
 *   1 s  east: refused b, c
 *   60 s (due)             -> refused c, 1 more
 */
export class Throttle<T> {
  private readonly kinds = new Map<string, ThrottlePeriod<T>>();

  /** Whether the line is to be logged now. If not, it is counted. */
  admits(kind: string, line: T, now: number): boolean {
    const known = this.kinds.get(kind);
    if (!known) {
      this.kinds.set(kind, { since: now, more: 0 });
      return true;
    }
    known.more += 1;
    known.last = line;
    return false;
  }

  /** The lines that were left out and are due: the last one of each kind. To be called from time to time. */
  due(now: number): readonly ThrottledLine<T>[] {
    const said: ThrottledLine<T>[] = [];
    for (const [name, kind] of this.kinds) {
      if (now - kind.since < PERIOD) continue;
      if (kind.last === undefined) this.kinds.delete(name);
      else {
        said.push({ line: kind.last, more: kind.more - 1 });
        this.kinds.set(name, { since: now, more: 0 });
      }
    }
    return said;
  }
}
