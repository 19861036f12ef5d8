import type { Parts, Pause } from '../../resource/store/parts.ts';
import type { Store } from '../../resource/store/store.ts';

/** How long (ms) one work may keep the event loop. */
const LONGEST_SLICE = 10;

/** The clock, and how to let others have the event loop. */
interface EventLoop {
  /** Monotonic, ms. */
  readonly now: () => number;
  readonly soon: (task: () => void) => void;
}

const OF_NODE: EventLoop = { now: () => performance.now(), soon: (task) => void setImmediate(task) };

/**
 * Steps of a work until it has kept the event loop for as long as it may, is done, or waits for something: the last of
 * them.
 */
export function sliceOf<T>(work: Parts<T>, now: EventLoop['now']): IteratorResult<Pause, T> {
  const end = now() + LONGEST_SLICE;
  for (;;) {
    const step = work.next();
    if (step.done || step.value instanceof Promise || now() >= end) return step;
  }
}

/** Does long work, a slice in each turn of the event loop. Rejects with what a step throws. */
export async function inTurns<T>(work: Parts<T>, { now, soon }: EventLoop = OF_NODE): Promise<T> {
  for (;;) {
    const step = sliceOf(work, now);
    if (step.done) return step.value;
    await (step.value ?? new Promise<void>(soon));
  }
}

/** Waits until nothing else keeps the store from a commit. */
export function* untilFree(store: Pick<Store, 'isFree' | 'whenFree'>): Parts<void> {
  // Of those that wait, another one may have begun.
  while (!store.isFree()) yield new Promise<void>((resolve) => store.whenFree(resolve));
}
