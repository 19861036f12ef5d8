import type { Outcome, Store, Transaction } from '../../resource/store/store.ts';

/** Of a commit, so that its turn of the event loop stays short. More of them make a further one in the next turn. */
export const MOST_BODIES = 64;

interface WaitingWrite {
  readonly body: (tx: Transaction) => unknown;
  readonly settle: (outcome: Outcome<unknown>) => void;
}

/**
 * Writes that share commits, and so the wait for the disk: those that arrive in one turn of the event loop, or while a
 * commit keeps it, go into the next one. Each is a revision of its own, and fails alone.
 *
 *   write(a), write(b)  ->  next turn: savepoint a, savepoint b, COMMIT  ->  a and b are told
 *   write(c) meanwhile  ->  the turn after it
 */
export class WriteQueue {
  readonly #store: Pick<Store, 'commitEach'>;
  readonly #soon: (task: () => void) => void;
  #waiting: WaitingWrite[] = [];

  /** `soon` runs a task after the present turn. */
  constructor(store: Pick<Store, 'commitEach'>, soon: (task: () => void) => void) {
    this.#store = store;
    this.#soon = soon;
  }

  /**
   * Runs `body` in a commit, in the order of the calls. Resolves with its result when that is on the disk. Rejects with
   * what it throws, or with what the store throws that can't be written: then nothing of it is there.
   */
  async write<T>(body: (tx: Transaction) => T): Promise<T> {
    const outcome = await new Promise<Outcome<unknown>>((settle) => {
      this.#waiting.push({ body, settle });
      if (this.#waiting.length === 1) this.#soon(() => this.#commit());
    });
    if ('thrown' in outcome) throw outcome.thrown;
    return outcome.result as T;
  }

  #commit(): void {
    const group = this.#waiting.slice(0, MOST_BODIES);
    this.#waiting = this.#waiting.slice(MOST_BODIES);
    if (this.#waiting.length > 0) this.#soon(() => this.#commit());
    for (const [index, outcome] of this.#outcomes(group).entries()) group[index]?.settle(outcome);
  }

  #outcomes(group: readonly WaitingWrite[]): readonly Outcome<unknown>[] {
    try {
      return this.#store.commitEach(group.map(({ body }) => body));
    } catch (thrown) {
      return group.map(() => ({ thrown }));
    }
  }
}
