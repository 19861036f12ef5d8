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

/**
 * Runs long work, a slice in each turn of the event loop (src/control/plane/in-turns.ts), for `most` milliseconds in
 * all. Out: its result; undefined: it was ended, for it took more, or nobody waits for it any more.
 */
export async function inLimitedTurns<T>(
  steps: Parts<T>,
  most: number,
  { now, nextTurn, gone, charge }: TurnOptions,
): Promise<{ readonly result: T } | undefined> {
  let spent = 0;
  while (spent < most && !gone.aborted) {
    const started = now();
    const step = turns.run('dry run', '', () => sliceOf(steps, now));
    const took = now() - started;
    charge(took);
    if (step.done) return { result: step.value };
    spent += took;
    await (step.value ?? nextTurn());
  }
  // Whoever has begun something ends it: it needs no result.
  steps.return(undefined as T);
  return undefined;
}
