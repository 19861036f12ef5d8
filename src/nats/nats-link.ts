import { type Msg, PermissionViolationError, type Status } from '@nats-io/transport-node';
import { MAX_MESSAGE_BYTES } from '../kds/protocol.ts';
import { Throttle } from '../kds/throttle.ts';
import type { Dialled } from './dial-nats.ts';
import type { Report } from '../report.ts';

/**
 * What may be on its way without the server having confirmed it: beyond it messages are dropped, so that a stalled
 * server costs no memory.
 */
export const WINDOW_BYTES = 64 * 1024 * 1024;
const CONFIRM_BYTES = 1024 * 1024;
const TOO_LARGE = 'a message that is too large was dropped';

/** One connection from its start to its end. */
export class Link {
  private readonly dialled: Dialled;
  private readonly log: Report;

  /** Resolves with the reason once the connection can't be used any more. */
  readonly ended: Promise<string>;
  private end: (reason: string) => void = () => {};
  private unconfirmed = 0;
  private readonly dropped = new Throttle<Readonly<Record<string, unknown>>>();
  private confirming = false;

  constructor(dialled: Dialled, log: Report) {
    this.dialled = dialled;
    this.log = log;
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
    void this.watch();
    void dialled.connection.closed().then((error) => this.end(error instanceof Error ? error.message : 'the connection is lost'));
  }

  /**
   * Calls `handler` for each message on `subject` that is not too large; at once, so that nothing waits in memory. The
   * text is made when it is asked for.
   */
  hear(subject: string, handler: (subject: string, text: () => string) => void): void {
    const callback = (error: Error | null, message: Msg): void => {
      if (error) return; // A refused subscription: `watch` says it.
      if (message.data.length > MAX_MESSAGE_BYTES) {
        this.tooLarge(message);
        return;
      }
      const { buffer, byteOffset, length } = message.data;
      handler(message.subject, () => Buffer.from(buffer, byteOffset, length).toString());
    };
    this.dialled.connection.subscribe(subject, { callback });
  }

  publish(subject: string, text: string): void {
    const { connection } = this.dialled;
    const bytes = Buffer.byteLength(text);
    if (connection.isClosed() || connection.isDraining() || this.unconfirmed + bytes > WINDOW_BYTES) return;
    const limit = Math.min(MAX_MESSAGE_BYTES, connection.info?.max_payload ?? MAX_MESSAGE_BYTES);
    if (bytes > limit) {
      this.log('error', 'a message is larger than the NATS server takes', { subject, bytes, limit });
      return;
    }
    connection.publish(subject, text);
    this.unconfirmed += bytes;
    if (this.unconfirmed > CONFIRM_BYTES && !this.confirming) void this.confirm();
  }

  /** Lets what was sent go out, for so long at most, and ends the connection. */
  async close(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    // A connection that is gone can't be drained; then there is nothing to wait for.
    await Promise.race([this.dialled.connection.drain().catch(() => {}), late]);
    clearTimeout(timer);
    this.terminate();
  }

  terminate(): void {
    this.dialled.terminate();
  }

  /** Logs once a minute for each subject, and counts the rest. */
  private tooLarge({ subject, data }: Msg): void {
    const now = performance.now();
    for (const { line, more } of this.dropped.due(now)) this.log('warn', TOO_LARGE, { ...line, more });
    const details = { subject, bytes: data.length };
    if (this.dropped.admits(subject, details, now)) this.log('warn', TOO_LARGE, details);
  }

  private async confirm(): Promise<void> {
    this.confirming = true;
    const sent = this.unconfirmed;
    try {
      await this.dialled.connection.flush();
      this.unconfirmed -= sent;
      this.confirming = false;
    } catch {
      // The connection is lost: `ended` says so, and this link sends no more.
    }
  }

  private async watch(): Promise<void> {
    for await (const status of this.dialled.connection.status()) this.onStatus(status);
  }

  private onStatus(status: Status): void {
    if (status.type === 'staleConnection') this.end('the server does not answer');
    if (status.type !== 'error') return;
    this.log('warn', 'the NATS server reports an error', { reason: status.error.message });
    // A refused subscription is removed by the library for good: only a new connection helps.
    if (status.error instanceof PermissionViolationError && status.error.operation === 'subscription') this.end(status.error.message);
  }
}
