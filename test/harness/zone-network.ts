import type { Lane, ZoneLanes } from '../../src/kds/access/zone-lanes.ts';

interface SaidMessage {
  readonly lane: Lane;
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** Zones that reach each other, in one process; each message comes in the order in which it was said. */
export class ZoneNetwork {
  /** All that was said. */
  readonly said: SaidMessage[] = [];
  /** Whether a message gets there. */
  passes: (message: SaidMessage) => boolean = () => true;
  /** Why nobody is reached; undefined: all are. */
  down: string | undefined;
  readonly #handlers = new Map<string, (lane: Lane, zone: string, text: () => string) => void>();

  /** The lanes of a zone. */
  of(from: string): ZoneLanes {
    return {
      unreachable: () => this.down,
      onSaid: (handler) => void this.#handlers.set(from, handler),
      say: (lane, to, text) => {
        const message = { lane, from, to, text };
        this.said.push(message);
        if (this.down === undefined && this.passes(message)) queueMicrotask(() => this.deliver(message));
      },
    };
  }

  /** As the transport would bring it: `from` is who it proves. */
  deliver({ lane, from, to, text }: SaidMessage): void {
    this.#handlers.get(to)?.(lane, from, () => text);
  }
}
