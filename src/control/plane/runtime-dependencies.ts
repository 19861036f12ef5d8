/**
 * What the sync needs from its machine (clock, randomness, tasks): the real ones in the daemons, seeded ones in the
 * simulator.
 */
export interface RuntimeDependencies {
  /** Monotonic, ms. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Unique and unguessable, hex, at most 32 digits. */
  readonly id: () => string;
  /** Runs a task soon, after the present ones. */
  readonly soon: (task: () => void) => void;
}
