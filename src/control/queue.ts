import { LONGEST_TURN, PER_TURN } from './turns.js';

/** Messages of one peer that wait for their turn. More are dropped: the protocol asks again. */
const LIMIT = 64;
/** What waits altogether, in characters. Beyond it whoever has most of it loses its newest. */
export const MAX_WAITING = 64 * 1024 * 1024;

interface Waiting {
  readonly messages: string[];
  size: number;
}

/** Gives each peer its turn: one message of each, then the next round, so that a flood from one peer costs the others nothing. */
export class FairQueue {
  private readonly waiting = new Map<string, Waiting>();
  private scheduled = false;
  private total = 0;

  constructor(
    private readonly handle: (peer: string, message: string) => void,
    private readonly machine: { readonly soon: (task: () => void) => void; readonly now: () => number },
    private readonly maxWaiting = MAX_WAITING,
  ) {}

  add(peer: string, message: string): void {
    if (this.isFull(peer)) return;
    const queue = this.waiting.get(peer) ?? { messages: [], size: 0 };
    queue.messages.push(message);
    this.waiting.set(peer, queue);
    this.count(queue, message.length);
    while (this.total > this.maxWaiting) this.dropOne();
    this.schedule();
  }

  /** Whether what comes from the peer now would be dropped: then it need not be read. */
  isFull(peer: string): boolean {
    return (this.waiting.get(peer)?.messages.length ?? 0) >= LIMIT;
  }

  /** Characters that wait. */
  size(): number {
    return this.total;
  }

  private count(queue: Waiting, characters: number): void {
    queue.size += characters;
    this.total += characters;
  }

  private dropOne(): void {
    let [most, largest] = ['', -1];
    for (const [peer, { size }] of this.waiting) if (size > largest) [most, largest] = [peer, size];
    this.take(most, 'pop');
  }

  private take(peer: string, end: 'shift' | 'pop'): string | undefined {
    const queue = this.waiting.get(peer);
    const message = queue?.messages[end]();
    if (!queue || message === undefined) return undefined;
    this.count(queue, -message.length);
    if (queue.messages.length === 0) this.waiting.delete(peer);
    return message;
  }

  private schedule(): void {
    if (this.scheduled || this.waiting.size === 0) return;
    this.scheduled = true;
    this.machine.soon(() => this.turn());
  }

  /** One message of each of the first few, who then stand behind the others. */
  private turn(): void {
    this.scheduled = false;
    const { now } = this.machine;
    const end = now() + LONGEST_TURN;
    for (const [index, peer] of [...this.waiting.keys()].slice(0, PER_TURN).entries()) {
      if (index > 0 && now() >= end) break;
      const message = this.take(peer, 'shift');
      const rest = this.waiting.get(peer);
      this.waiting.delete(peer);
      if (rest) this.waiting.set(peer, rest);
      if (message !== undefined) this.handle(peer, message);
    }
    this.schedule();
  }
}
