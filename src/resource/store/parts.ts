/**
 * Between two steps of long work: a promise is waited for, else the work may go on as soon as others had their turn.
 */
export type Pause = Promise<unknown> | void;

/** Long work, a step at a time. */
export type Parts<T> = Generator<Pause, T, void>;

/** All steps of a work that waits for nothing. */
export function atOnce<T>(parts: Parts<T>): T {
  for (;;) {
    const step = parts.next();
    if (step.done) return step.value;
  }
}
