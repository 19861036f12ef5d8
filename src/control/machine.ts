/** What the sync takes from the machine it runs on: real ones in the daemons, seeded ones in the simulator. */
export interface Machine {
  /** Monotonic, ms. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Unique and unguessable, hex, at most 32 digits. */
  readonly id: () => string;
  /** Runs something soon, after what is at hand. */
  readonly soon: (task: () => void) => void;
}
