/** For so many peers something is done before others get the event loop: a few milliseconds. */
export const PER_TURN = 32;

/**
 * Does one thing for each of many peers, a few at a time. One that is added again before its turn still has one: what was committed meanwhile goes with it.
 *
 *   add a, b (each 32 times as many) -> a's; others get the event loop; b's
 *   add a, add a                     -> a, once
 */
export class Turns {
  private readonly waiting = new Set<string>();
  private scheduled = false;

  constructor(
    private readonly handle: (peer: string) => void,
    private readonly soon: (task: () => void) => void,
  ) {}

  add(peer: string): void {
    this.waiting.add(peer);
    if (!this.scheduled) this.soon(() => this.turn());
    this.scheduled = true;
  }

  private turn(): void {
    this.scheduled = false;
    const now = [...take(this.waiting, PER_TURN)];
    // The next turn is asked for first: what is thrown here must not stop the others.
    const [next] = this.waiting;
    if (next !== undefined) this.add(next);
    for (const peer of now) this.handle(peer);
  }
}

/** Takes so many out of a set, those that are in it for longest. */
function* take(from: Set<string>, most: number): IterableIterator<string> {
  let left = most;
  for (const one of from) {
    if (left-- === 0) return;
    from.delete(one);
    yield one;
  }
}
