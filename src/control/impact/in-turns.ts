import type { Steps } from './steps.ts';

/** How work is shared with what else the event loop has to do. */
export interface TurnOptions {
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Resolves in another turn of the event loop. */
  readonly nextTurn: () => Promise<unknown>;
  /** Nobody waits for the work any more. */
  readonly gone: AbortSignal;
  /** Called with the milliseconds that each turn took. */
  readonly charge: (took: number) => void;
}

/** Milliseconds that one turn takes. */
const TURN = 10;
/** Milliseconds of all turns together. */
const MOST = 10_000;

/**
 * Runs steps for ten milliseconds at a time; the loop goes on in between. Out: whether all were done. They were not
 * when they took ten seconds, or nobody waits for them any more.
 */
export async function inTurns(steps: Steps, { now, nextTurn, gone, charge }: TurnOptions): Promise<boolean> {
  let spent = 0;
  while (spent < MOST && !gone.aborted) {
    const started = now();
    let done = false;
    while (!done && now() - started < TURN) done = steps.next().done === true;
    const took = now() - started;
    charge(took);
    if (done) return true;
    spent += took;
    await nextTurn();
  }
  steps.return();
  return false;
}
