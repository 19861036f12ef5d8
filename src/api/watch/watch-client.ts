import type { WebSocket } from 'ws';
import type { HistoryFilter, Moment } from '../../resource/store/history.ts';
import type { Pages } from './watch-pages.ts';
import { BEGINNING, END, formatPosition, type WatchStart } from './watch-position.ts';

/** What all clients have in common. */
export interface Watching {
  readonly pages: Pages;
  readonly epoch: string;
  /** The revision of the last commit. */
  readonly head: () => number;
  /** Whether all deletions after a revision are still remembered. */
  readonly reaches: (revision: number) => boolean;
  readonly failed: (thrown: unknown) => void;
}

/** How long it must be quiet until a client is told how far it is, ms. */
const QUIET = 100;
/** How often a client must show that it is still there, ms. */
const ALIVE = 30_000;
/** Close code of RFC 6455's registry: come back. */
const TRY_AGAIN = 1012;

/**
 * One client of the watch. It is sent a page of changes, and the next one when that is with the kernel: a slow one
 * holds one page in memory, and reads from the store's history at its own pace.
 */
export class WatchClient {
  readonly #socket: WebSocket;
  readonly #watching: Watching;
  readonly #filter: HistoryFilter;
  /** Resources that were deleted before that were never shown to the client. */
  readonly #listed: number;
  #at: Moment;
  /** The moment that the client knows itself to be at. */
  #announced: Moment | undefined;
  #running = false;
  #alive = true;
  #quiet: NodeJS.Timeout | undefined;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(socket: WebSocket, watching: Watching, filter: HistoryFilter, start: WatchStart) {
    this.#socket = socket;
    this.#watching = watching;
    this.#filter = filter;
    this.#at = start.kind === 'resume' ? start.at : BEGINNING;
    this.#listed = start.kind === 'resume' ? 0 : watching.head();
    this.#heartbeat = setInterval(() => this.#beat(), ALIVE).unref();
    socket.on('pong', () => (this.#alive = true));
    if (start.kind === 'reset') this.#send({ op: 'reset', revision: this.#listed, reason: start.reason });
    this.wake();
  }

  /** There may be something to send. */
  wake(): void {
    if (this.#running) return;
    this.#running = true;
    this.#run().catch((thrown: unknown) => this.#fail(thrown));
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** The socket is closed. */
  ended(): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#quiet);
  }

  /**
   * Sends all that there is. Between finding nothing more and its end nothing else runs: what comes later wakes it
   * again.
   */
  async #run(): Promise<void> {
    try {
      while (this.#socket.readyState === this.#socket.OPEN) {
        // A commit can delete more than the store remembers. Then the client comes back with its position, and is told
        // to start over.
        if (!this.#watching.reaches(Math.max(this.#at.revision, this.#listed)))
          return this.close(TRY_AGAIN, 'too much was deleted at once');
        const page = this.#watching.pages.behind(this.#at, this.#filter);
        const last = page.at(-1);
        if (!last) return this.#caughtUp();
        const wanted = page.filter(({ deleted, revision }) => !deleted || revision > this.#listed);
        await this.#sendAll(wanted.map(({ text }) => text));
        this.#at = last;
        if (wanted.length > 0) this.#sent();
      }
    } finally {
      this.#running = false;
    }
  }

  #sent(): void {
    this.#alive = true;
    this.#announced = undefined;
    clearTimeout(this.#quiet);
    this.#quiet = undefined;
  }

  #fail(thrown: unknown): void {
    this.#watching.failed(thrown);
    this.#socket.close(1011, 'an internal error');
  }

  #caughtUp(): void {
    const revision = this.#watching.head();
    if (revision >= this.#at.revision) this.#at = { revision, number: END };
    const { number } = this.#at;
    if (this.#announced?.revision !== revision || this.#announced.number !== number)
      this.#quiet ??= setTimeout(() => this.#bookmark(), QUIET).unref();
  }

  /** Tells a client how far it is, although nothing that it wants has changed. */
  #bookmark(): void {
    this.#quiet = undefined;
    if (this.#running || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#announced = this.#at;
    this.#send({ op: 'bookmark', revision: this.#at.revision, position: formatPosition(this.#watching.epoch, this.#at) });
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message), () => {});
  }

  /** Resolves when all is with the kernel, or the socket gone. */
  #sendAll(texts: readonly string[]): Promise<void> {
    const last = texts.at(-1);
    for (const text of texts.slice(0, -1)) this.#socket.send(text, () => {});
    return new Promise((resolve) => {
      if (last === undefined) resolve();
      else this.#socket.send(last, () => resolve());
    });
  }

  #beat(): void {
    if (!this.#alive) return this.#socket.terminate();
    this.#alive = false;
    this.#socket.ping();
  }
}
