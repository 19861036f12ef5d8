import { RoundRobin } from '../plane/round-robin.ts';
import type { TimeBudget } from '../plane/time-budget.ts';

/** Messages of one peer that wait for their turn. More are dropped: the protocol asks again. */
const LIMIT = 64;
/**
 * The most that may wait in all, in characters. Beyond it the peer that has the most waiting loses its newest message.
 */
const MAX_WAITING = 64 * 1024 * 1024;

interface WaitingMessages {
  readonly messages: string[];
  size: number;
}

/**
 * Gives each peer its turn: one message of each, then the next round, so that a flood from one peer costs the others
 * nothing. With a budget, one that took more than its share of time waits until `resume` finds that it has paid.
 */
export class FairQueue {
  private readonly handle: (peer: string, message: string) => void;
  private readonly maxWaiting: number;

  private readonly waiting = new Map<string, WaitingMessages>();
  private readonly turns: RoundRobin;
  private total = 0;
  private readonly budget: TimeBudget | undefined;
  private readonly onHeld: (peer: string) => void;
  private readonly held = new Set<string>();

  constructor(
    handle: (peer: string, message: string) => void,
    machine: ConstructorParameters<typeof RoundRobin>[1],
    {
      maxWaiting = MAX_WAITING,
      budget,
      onHeld = () => {},
    }: {
      readonly maxWaiting?: number | undefined;
      readonly budget?: TimeBudget | undefined;
      readonly onHeld?: (peer: string) => void;
    } = {},
  ) {
    this.handle = handle;
    this.budget = budget;
    this.onHeld = onHeld;
    this.maxWaiting = maxWaiting;
    this.turns = new RoundRobin((peer) => this.next(peer), machine);
  }

  add(peer: string, message: string): void {
    if (this.isFull(peer)) return;
    const queue = this.waiting.get(peer) ?? { messages: [], size: 0 };
    queue.messages.push(message);
    this.waiting.set(peer, queue);
    this.count(queue, message.length);
    while (this.total > this.maxWaiting) this.dropOne();
    if (!this.held.has(peer)) this.turns.add(peer);
  }

  /** Whether a message from the peer would be dropped now. Then it need not be read. */
  isFull(peer: string): boolean {
    return (this.waiting.get(peer)?.messages.length ?? 0) >= LIMIT;
  }

  /** Whether the peer took more than its share of time, and waits. */
  isHeld(peer: string): boolean {
    return this.held.has(peer);
  }

  /** Lets those go on that have paid. To be called from time to time. */
  resume(): void {
    this.budget?.settle();
    for (const peer of this.held) {
      if (this.budget?.isOver(peer)) continue;
      this.held.delete(peer);
      if (this.waiting.has(peer)) this.turns.add(peer);
    }
  }

  /** Characters that wait. */
  size(): number {
    return this.total;
  }

  private count(queue: WaitingMessages, characters: number): void {
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

  private hold(peer: string): void {
    this.held.add(peer);
    this.onHeld(peer);
  }

  /** Takes one message. If its peer has more, that peer goes to the end of the line. */
  private next(peer: string): void {
    if (this.budget?.isOver(peer)) return this.hold(peer);
    const message = this.take(peer, 'shift');
    if (this.waiting.has(peer)) this.turns.add(peer);
    if (message === undefined) return;
    if (this.budget) this.budget.charge(peer, () => this.handle(peer, message));
    else this.handle(peer, message);
  }
}
