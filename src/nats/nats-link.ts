import { type Msg, PermissionViolationError, type Status } from '@nats-io/transport-node';
import { LEAST_PAYLOAD } from '../kds/message-parts.ts';
import { MAX_MESSAGE_BYTES } from '../kds/protocol.ts';
import { Throttle } from '../kds/throttle.ts';
import type { DialledConnection } from './dial-nats.ts';
import type { Report } from '../report.ts';

/**
 * What may be on its way without the server having confirmed it: beyond it messages are dropped, so that a stalled
 * server costs no memory.
 */
export const WINDOW_BYTES = 64 * 1024 * 1024;
const CONFIRM_BYTES = 1024 * 1024;
const TOO_LARGE = 'a message that is too large was dropped';
/** A refused subject is refused still, if that was heard so long ago: something is sent every 2 s. ms */
const REFUSED_FOR = 6_000;

interface LinkEvent extends Readonly<Record<string, unknown>> {
  readonly event: string;
}

/** One connection from its start to its end. */
export class Link {
  private readonly dialled: DialledConnection;
  private readonly log: Report;

  /** Resolves with the reason once the connection can't be used any more. */
  readonly ended: Promise<string>;
  private end: (reason: string) => void = () => {};
  private unconfirmed = 0;
  private readonly throttle = new Throttle<LinkEvent>();
  private confirming = false;
  /** Subjects that the server does not let us speak on: why, and when it said so last (monotonic ms). */
  private readonly refused = new Map<string, { readonly reason: string; readonly at: number }>();
  /** Subjects that need not be heard; why the server does not let us, once it said so. */
  private readonly optional = new Map<string, string | undefined>();

  constructor(dialled: DialledConnection, log: Report) {
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
   * text is made when it is asked for. A connection ends where what is not optional may not be heard.
   */
  hear(subject: string, handler: (subject: string, text: () => string) => void, isOptional = false): void {
    if (isOptional) this.optional.set(subject, undefined);
    const callback = (error: Error | null, message: Msg): void => {
      if (error) return; // A refused subscription: `watch` says it.
      if (message.data.length > MAX_MESSAGE_BYTES) {
        this.tooLarge(message.subject, message.data.length);
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
    const limit = this.mostBytes();
    if (bytes > limit) return this.tooLarge(subject, bytes);
    connection.publish(subject, text);
    this.unconfirmed += bytes;
    if (this.unconfirmed > CONFIRM_BYTES && !this.confirming) void this.confirm();
  }

  /** How many bytes the server lets one message have. */
  mostBytes(): number {
    return Math.min(MAX_MESSAGE_BYTES, this.dialled.connection.info?.max_payload ?? MAX_MESSAGE_BYTES);
  }

  /** Why nothing can be said on `subject`; undefined: it can. */
  refusal(subject: string): string | undefined {
    const most = this.mostBytes();
    if (most < LEAST_PAYLOAD) return `max_payload is ${most} there, and must be ${LEAST_PAYLOAD} at least`;
    const refused = this.refused.get(subject);
    return refused && performance.now() - refused.at < REFUSED_FOR ? refused.reason : undefined;
  }

  /** Why one of the subjects that need not be heard is not; undefined: all are. */
  deafness(): string | undefined {
    return [...this.optional.values()].find((reason) => reason !== undefined);
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
  private tooLarge(subject: string, bytes: number): void {
    this.say(subject, { event: TOO_LARGE, subject, bytes });
  }

  private say(kind: string, line: LinkEvent): void {
    const now = performance.now();
    for (const { line, more } of this.throttle.due(now)) this.logLine({ ...line, more });
    if (this.throttle.admits(kind, line, now)) this.logLine(line);
  }

  private logLine({ event, ...details }: LinkEvent): void {
    this.log('warn', event, details);
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
    const { error } = status;
    this.say(error.message, { event: 'the NATS server reports an error', reason: error.message });
    // A refused subscription is removed by the library for good: only a new connection helps.
    if (isRefusedSubscription(error)) this.onRefusedSubscription(error);
    else if (error instanceof PermissionViolationError) this.refused.set(error.subject, { reason: error.message, at: performance.now() });
  }

  private onRefusedSubscription(error: Error): void {
    if (error instanceof PermissionViolationError && this.optional.has(error.subject)) this.optional.set(error.subject, error.message);
    else this.end(error.message);
  }
}

/** By its permissions, or since this client or its account has as many as it may (`subs`, `max_subscriptions`). */
function isRefusedSubscription(error: Error): boolean {
  if (error instanceof PermissionViolationError) return error.operation === 'subscription';
  return /maximum (account )?subscriptions? exceeded/i.test(error.message);
}
