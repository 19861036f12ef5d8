import type { SessionEvent } from '../../kds/session.ts';

/** Of one peer. More are dropped: the protocol asks again. */
const MOST = 16;

/** What happened, by peer, and can't be dealt with while a large write keeps the store. */
export class HeldEvents {
  readonly #events = new Map<string, SessionEvent[]>();

  has(peer: string): boolean {
    return this.#events.has(peer);
  }

  isEmpty(): boolean {
    return this.#events.size === 0;
  }

  /** A tick is not held: the next one comes soon. */
  add(peer: string, event: SessionEvent): void {
    const events = this.#events.get(peer) ?? [];
    if (event.on === 'message' && events.length >= MOST) return;
    if (event.on !== 'tick') this.#events.set(peer, [...events, event]);
  }

  /** All of them, in order for each peer; none are held any more. */
  take(): { readonly peer: string; readonly event: SessionEvent }[] {
    const all = [...this.#events].flatMap(([peer, events]) => events.map((event) => ({ peer, event })));
    this.#events.clear();
    return all;
  }
}
