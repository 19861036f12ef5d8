/** What may keep the event loop. A closed set: metrics have a line for each. */
export type Work =
  | 'access'
  | 'answer'
  | 'apply'
  | 'commit'
  | 'compile'
  | 'dry run'
  | 'message'
  | 'request'
  | 'sync'
  | 'tell'
  | 'transfer'
  | 'view'
  | 'watch';

/** The longest turn of some work. */
export interface LongTurn {
  readonly work: Work;
  /** What it was about: a route, a peer. '' where that says nothing. */
  readonly about: string;
  readonly milliseconds: number;
  /** When it ended, RFC 3339. */
  readonly at: string;
  /** How many turns of this work took more than 100 ms since the start. */
  readonly long: number;
}

/** No turn should take longer, ms. */
const LONG = 100;
/** Shorter ones are not kept, ms. */
const NOTED = 10;
/** How many works are kept: of more, that with the shortest turn is forgotten. */
const MOST = 50;

/**
 * Which work kept the event loop longest. Whoever does long work says its name around each piece that runs in one turn.
 * A piece within another one is a part of it.
 *
 *   run('apply', '', slice)   ->  apply: 12 ms at 10:00:00
 */
export class LongTurns {
  readonly #now: () => number;
  readonly #time: () => string;
  readonly #turns = new Map<string, LongTurn>();
  #within = false;

  /** `now`: monotonic, ms. `time`: RFC 3339. */
  constructor(now: () => number, time: () => string) {
    this.#now = now;
    this.#time = time;
  }

  /** Does the work, and keeps in mind how long it took. Throws what it throws. */
  run<T>(work: Work, about: string, piece: () => T): T {
    if (this.#within) return piece();
    this.#within = true;
    const began = this.#now();
    try {
      return piece();
    } finally {
      this.#within = false;
      this.#note(work, about, this.#now() - began);
    }
  }

  /** The longest first. */
  longest(): readonly LongTurn[] {
    return [...this.#turns.values()].sort((a, b) => b.milliseconds - a.milliseconds);
  }

  #note(work: Work, about: string, milliseconds: number): void {
    if (milliseconds < NOTED) return;
    const id = `${work} ${about}`;
    const before = this.#turns.get(id);
    const long = (before?.long ?? 0) + Number(milliseconds > LONG);
    const isLonger = !before || milliseconds > before.milliseconds;
    this.#turns.set(id, isLonger ? { work, about, milliseconds, at: this.#time(), long } : { ...before, long });
    if (this.#turns.size > MOST) this.#forgetShortest();
  }

  #forgetShortest(): void {
    const shortest = this.longest().at(-1);
    if (shortest) this.#turns.delete(`${shortest.work} ${shortest.about}`);
  }
}

/** Those of this process: it has one event loop. */
export const turns = new LongTurns(
  () => performance.now(),
  () => new Date().toISOString(),
);
