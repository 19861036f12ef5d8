import type { Parts } from '../../resource/store/parts.ts';
import { sliceOf } from '../plane/in-turns.ts';
import { turns } from '../plane/long-turns.ts';

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

/** Milliseconds of all turns together. */
const MOST = 10_000;

/**
 * Runs long work, a slice in each turn of the event loop (src/control/plane/in-turns.ts), within a limit. Out: whether
 * all of it was done. It was not when it took ten seconds, or nobody waits for it any more.
 */
export async function inTurns(steps: Parts<void>, { now, nextTurn, gone, charge }: TurnOptions): Promise<boolean> {
  let spent = 0;
  while (spent < MOST && !gone.aborted) {
    const started = now();
    const { done, value } = turns.run('dry run', '', () => sliceOf(steps, now));
    const took = now() - started;
    charge(took);
    if (done) return true;
    spent += took;
    await (value ?? nextTurn());
  }
  steps.return();
  return false;
}
