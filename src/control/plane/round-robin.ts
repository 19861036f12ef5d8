/** How many peers are served, and for how long (ms), before the event loop goes on: a commit may wait for the disk. */
export const PER_TURN = 32;
export const LONGEST_TURN = 10;

/**
 * Does one thing for each of many peers, a few at a time. A peer that is added twice before its turn gets one turn,
 * which covers both commits.
 *
 *   add a, b (each 32 times as many) -> a's; others get the event loop; b's
 *   add a, add a                     -> a, once
 */
export class RoundRobin {
  private readonly handle: (peer: string) => void;
  /** `now`: monotonic, ms. */
  private readonly machine: { readonly soon: (task: () => void) => void; readonly now: () => number };

  private readonly waiting = new Set<string>();
  private scheduled = false;

  constructor(handle: (peer: string) => void, machine: { readonly soon: (task: () => void) => void; readonly now: () => number }) {
    this.handle = handle;
    this.machine = machine;
  }

  add(peer: string): void {
    this.waiting.add(peer);
    if (!this.scheduled) this.machine.soon(() => this.turn());
    this.scheduled = true;
  }

  private turn(): void {
    this.scheduled = false;
    const { now } = this.machine;
    const end = now() + LONGEST_TURN;
    // Not those that are added meanwhile: who has another turn has it after others got the event loop.
    for (const [index, peer] of [...this.waiting].slice(0, PER_TURN).entries()) {
      if (index > 0 && now() >= end) break;
      this.waiting.delete(peer);
      this.handle(peer);
    }
    const [next] = this.waiting;
    if (next !== undefined) this.add(next);
  }
}
