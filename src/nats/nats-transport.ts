import { setTimeout as wait } from 'node:timers/promises';
import { asMeridianError, MeridianError } from '../errors.ts';
import { MAX_MESSAGE_BYTES } from '../kds/protocol.ts';
import type { Lane, ZoneLanes } from '../kds/access/zone-lanes.ts';
import type { Transport, PeerPath } from '../kds/transport.ts';
import type { Report } from '../report.ts';
import { type NatsAddress, parseAddresses } from './nats-address.ts';
import { exposure } from './nats-credentials.ts';
import { type DialOptions, dial, type DialledConnection } from './dial-nats.ts';
import { Link } from './nats-link.ts';
import type { TlsFiles } from './nats-tls.ts';
import { isDnsLabel } from '../resource/dns-names.ts';
import { laneOf, laneSubject, lanesToHear, senderOf, subjectsToHear, subjectTo } from './subjects.ts';

export interface NatsOptions {
  /**
   * `nats://`, `tls://`, `ws://` or `wss://`; it may hold a user and password, or a token. Several servers have commas
   * between them.
   */
  readonly url: string;
  readonly credsFile: string | undefined;
  readonly tls: TlsFiles;
  /** '' for global. */
  readonly zone: string;
  readonly log: Report;
}

const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 5_000;

/**
 * The transport on core NATS (docs/design/sync.md#truth-and-transport). Connects for ever: a server that is not there,
 * at the start or later, is tried again with jitter; of several the next one, from any of them on, so that not all
 * zones are at the first. What is sent meanwhile is dropped, for the protocol repeats itself.
 */
export class NatsTransport implements Transport, ZoneLanes {
  private readonly options: NatsOptions;

  private readonly addresses: readonly NatsAddress[];
  /** The server that is tried next. */
  private next: number;
  private readonly closing = new AbortController();
  private link: Link | undefined;
  private running: Promise<void> | undefined;
  private reason: string | undefined = 'not connected yet';
  /** The reason that was logged last. */
  private said: string | undefined;
  private handle: (peer: string, text: string) => void = () => {};
  private hears: (peer: string) => boolean = () => true;
  private tell: (connected: boolean) => void = () => {};
  private handleSaid: Parameters<ZoneLanes['onSaid']>[0] = () => {};

  /** Throws `invalid` for a text that is not a URL. Nothing happens before `start`. */
  constructor(options: NatsOptions) {
    this.options = options;
    this.addresses = parseAddresses(options.url);
    this.next = Math.floor(Math.random() * this.addresses.length);
  }

  onMessage(handler: (peer: string, text: string) => void): void {
    this.handle = handler;
  }

  /** Messages of peers that `hears` rejects are dropped before they are decoded. */
  acceptFrom(hears: (peer: string) => boolean): void {
    this.hears = hears;
  }

  onConnection(handler: (connected: boolean) => void): void {
    this.tell = handler;
  }

  start(): void {
    const { credsFile, log } = this.options;
    const exposed = credsFile === undefined ? undefined : exposure(credsFile);
    if (exposed !== undefined) log('warn', exposed, { hint: `chmod 600 ${credsFile}` });
    this.running = this.run();
  }

  send(peer: string, text: string): void {
    const subject = subjectTo(this.options.zone, peer);
    if (subject !== undefined) this.link?.publish(subject, text);
  }

  way(peer: string): PeerPath {
    const { link } = this;
    const subject = subjectTo(this.options.zone, peer);
    if (!link || subject === undefined) return { mostBytes: MAX_MESSAGE_BYTES };
    return { mostBytes: link.mostBytes(), refused: link.refusal(subject) };
  }

  onSaid(handler: Parameters<ZoneLanes['onSaid']>[0]): void {
    this.handleSaid = handler;
  }

  say(lane: Lane, zone: string, text: string): void {
    if (isDnsLabel(zone)) this.link?.publish(laneSubject(this.options.zone, lane, zone), text);
  }

  unreachable(zone: string): string | undefined {
    if (this.reason !== undefined) return `NATS is away: ${this.reason}`;
    return this.lanesProblem() ?? this.link?.refusal(laneSubject(this.options.zone, 'ask', zone));
  }

  /** Why other zones are not heard although there is a connection; undefined: they are. */
  lanesProblem(): string | undefined {
    const deaf = this.link?.deafness();
    return deaf && `this zone's NATS credential is of a version that knew no questions between zones (${deaf}): make a new one`;
  }

  /** Why there is no connection now; undefined: there is one. */
  disconnectedReason(): string | undefined {
    return this.reason;
  }

  /** Sends what is still waiting, for at most this long, and ends the connection. No handler is called after that. */
  async close(timeoutMs: number): Promise<void> {
    this.closing.abort();
    this.tell = () => {};
    this.handle = () => {};
    this.handleSaid = () => {};
    await this.link?.close(timeoutMs);
    await Promise.race([this.running, wait(timeoutMs, undefined, { ref: false })]);
  }

  private async run(): Promise<void> {
    let failures = 0;
    while (!this.closing.signal.aborted) {
      const began = performance.now();
      try {
        this.reason = await this.connectOnce();
      } catch (thrown) {
        this.reason = asMeridianError(thrown).message;
      }
      this.sayAway();
      // A connection that ends at once, for a permission perhaps, is a failure like one that does not come about.
      failures = performance.now() - began > 2 * LONGEST_PAUSE ? 0 : failures + 1;
      await this.pause(failures);
    }
  }

  /** Resolves when a connection that came about has ended, with the reason; throws when it did not come about. */
  private async connectOnce(): Promise<string> {
    const { zone, credsFile, tls, log } = this.options;
    const credentials = credsFile === undefined ? undefined : { file: credsFile };
    const name = zone === '' ? 'meridian-global' : `meridian-zone-${zone}`;
    const { dialled, address } = await this.dialAny({ credentials, tls, name });
    const link = new Link(dialled, log);
    if (!this.closing.signal.aborted) this.begin(link, address);
    else link.terminate();
    const reason = await link.ended;
    link.terminate();
    this.link = undefined;
    this.guard(() => this.tell(false));
    return reason;
  }

  /** The first server that answers, each tried once. Throws why each does not. */
  private async dialAny(caller: DialOptions): Promise<{ dialled: DialledConnection; address: NatsAddress }> {
    const reasons = new Map<NatsAddress, string>();
    while (reasons.size < this.addresses.length && !this.closing.signal.aborted) {
      const address = this.addresses[this.next] as NatsAddress;
      this.next = (this.next + 1) % this.addresses.length;
      try {
        return { dialled: await dial(address, caller), address };
      } catch (thrown) {
        if (this.addresses.length === 1) throw thrown;
        reasons.set(address, asMeridianError(thrown).message);
      }
    }
    // In the order of the list, so that the same reasons read the same.
    const all = this.addresses.flatMap((address) => (reasons.has(address) ? `${address.url}: ${reasons.get(address)}` : []));
    throw new MeridianError('unavailable', all.join('; '));
  }

  private begin(link: Link, { url }: NatsAddress): void {
    for (const subject of subjectsToHear(this.options.zone)) link.hear(subject, (from, text) => this.receive(from, text));
    for (const subject of lanesToHear(this.options.zone)) link.hear(subject, (from, text) => this.receiveSaid(from, text), true);
    this.link = link;
    this.reason = undefined;
    this.said = undefined;
    this.options.log('info', 'connected to NATS', { url });
    this.guard(() => this.tell(true));
  }

  private receive(subject: string, text: () => string): void {
    const peer = senderOf(this.options.zone, subject);
    if (peer !== undefined && this.hears(peer)) this.guard(() => this.handle(peer, text()));
  }

  private receiveSaid(subject: string, text: () => string): void {
    const said = laneOf(this.options.zone, subject);
    if (said) this.guard(() => this.handleSaid(said.lane, said.from, text));
  }

  /**
   * An error of our handlers is a bug or a broken store, and must end the process. In the library's reader it would
   * only stop the reading.
   */
  private guard(call: () => void): void {
    try {
      call();
    } catch (thrown) {
      queueMicrotask(() => {
        throw thrown;
      });
    }
  }

  /** Says each reason once, not at each attempt. */
  private sayAway(): void {
    if (this.reason === this.said || this.closing.signal.aborted) return;
    this.said = this.reason;
    this.options.log('warn', 'NATS is away', { url: this.addresses.map(({ url }) => url).join(','), reason: this.reason });
  }

  /** Longer from time to time, and never the same for all, so that a thousand zones do not come back at once. */
  private async pause(failures: number): Promise<void> {
    const longest = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(failures, 10));
    const { signal } = this.closing;
    await wait(longest * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
  }
}
