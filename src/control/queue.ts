/** Messages of one peer that wait for their turn. More are dropped: the protocol asks again. */
const LIMIT = 64;

/** Gives each peer its turn: one message of each, then the next round, so that a flood from one peer costs the others nothing. */
export class FairQueue<T> {
  private readonly waiting = new Map<string, T[]>();
  private scheduled = false;

  constructor(
    private readonly handle: (peer: string, message: T) => void,
    private readonly soon: (task: () => void) => void,
  ) {}

  add(peer: string, message: T): void {
    const queue = this.waiting.get(peer) ?? [];
    if (queue.length >= LIMIT) return;
    queue.push(message);
    this.waiting.set(peer, queue);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled || this.waiting.size === 0) return;
    this.scheduled = true;
    this.soon(() => this.round());
  }

  private round(): void {
    this.scheduled = false;
    for (const [peer, queue] of [...this.waiting]) {
      const next = queue.shift();
      if (queue.length === 0) this.waiting.delete(peer);
      if (next !== undefined) this.handle(peer, next);
    }
    this.schedule();
  }
}
