import { randomBytes } from 'node:crypto';
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node';
import { addHash, EMPTY_DIGEST, formatDigest, hashItem } from '../../src/kds/digest.ts';
import { encodeItem, type Item } from '../../src/kds/item.ts';
import {
  type ZoneInfo,
  type Body,
  decodeMessage,
  encodeMessage,
  type Message,
  type PageBody,
  type Pull,
  type Speaker,
  type Status,
} from '../../src/kds/protocol.ts';
import { downSubject, upSubject } from '../../src/nats/subjects.ts';
import type { Position } from '../../src/resource/store/store.ts';
import type { Scope } from '../harness/scope.ts';

/** What answers a pull; nothing: it stays without an answer. */
export type PullAnswer = (pull: Pull) => { readonly body: PageBody; readonly lines: readonly string[] } | undefined;

/**
 * A zone that was taken over: a plain NATS client with the zone's real credential, which speaks the protocol as it
 * likes. Without more it is honest: it announces its feed and serves it whole when it is asked.
 */
export class Attacker {
  readonly zone: string;
  private readonly connection: NatsConnection;

  readonly heard: Message[] = [];
  speaker: Speaker;
  /** What its feed holds, encoded. */
  lines: readonly string[] = [];
  revision = 1;
  answer: PullAnswer;
  /** What it says of itself, besides the truth. */
  claims: Partial<ZoneInfo> = {};
  private beating = true;

  private constructor(zone: string, connection: NatsConnection) {
    this.zone = zone;
    this.connection = connection;
    this.speaker = { store: hex(), term: 1, incarnation: 1, instance: hex() };
    this.answer = (pull) => this.honest(pull);
    connection.subscribe(downSubject(zone), { callback: (_error, { data }) => this.hear(Buffer.from(data).toString()) });
  }

  static async open(scope: Scope, url: string, zone: string, creds: string): Promise<Attacker> {
    const authenticator = credsAuthenticator(new TextEncoder().encode(creds));
    const connection = await connect({ servers: url, authenticator, reconnect: false });
    const attacker = new Attacker(zone, connection);
    const timer = setInterval(() => attacker.beating && attacker.say(attacker.status()), 1_000);
    scope.add(async () => {
      clearInterval(timer);
      await connection.close();
    });
    return attacker;
  }

  /** What it says its version is: another one in each life, so that global is seen to have heard of this one. */
  get version(): string {
    return `life ${this.speaker.incarnation}`;
  }

  /** A revision that it has not spoken of yet. */
  ahead(): number {
    this.revision += 10;
    return this.revision;
  }

  /** Honest again, in a new life. */
  restart(): void {
    const { store, term, incarnation } = this.speaker;
    this.speaker = { store, term, incarnation: incarnation + 1, instance: hex() };
    this.answer = (pull) => this.honest(pull);
    this.claims = {};
    this.beating = true;
    this.say(this.status());
  }

  /** Says nothing by itself any more. */
  hush(): void {
    this.beating = false;
  }

  say(body: Body, lines: readonly string[] = [], from: Partial<Speaker> = {}): void {
    this.raw(encodeMessage({ from: { ...this.speaker, ...from }, body, lines }));
  }

  raw(data: string | Uint8Array, reply?: string): void {
    this.connection.publish(upSubject(this.zone), data, reply === undefined ? {} : { reply });
  }

  /** Pulls all, with a subject for the answer. */
  ask(id: string, reply: string): void {
    this.raw(encodeMessage({ from: this.speaker, body: { kind: 'pull', id, ask: { mode: 'scan' } }, lines: [] }), reply);
  }

  flush(): Promise<void> {
    return this.connection.flush();
  }

  /** Has these in its feed from now on. */
  holds(items: readonly (Item | string)[]): void {
    this.lines = items.map((item) => (typeof item === 'string' ? item : encodeItem(item)));
    this.revision += 1;
    this.say(this.status());
  }

  status(more: Partial<Status> = {}): Status {
    return {
      kind: 'status',
      head: this.head(),
      ack: { refusals: '' },
      about: { ...ABOUT, version: this.version, ...this.claims },
      ...more,
    };
  }

  head(more: Partial<Position> = {}): Position {
    const digest = formatDigest(this.lines.reduce((sum, line) => addHash(sum, hashItem(line)), EMPTY_DIGEST));
    const { store, term } = this.speaker;
    return { store, term, revision: this.revision, digest, count: this.lines.length, signature: 'ff', ...more };
  }

  private hear(text: string): void {
    const message = decodeMessage(text);
    this.heard.push(message);
    if (message.body.kind !== 'pull') return;
    const answered = this.answer(message.body);
    if (answered) this.say(answered.body, answered.lines);
  }

  private honest({ id, ask }: Pull): ReturnType<PullAnswer> {
    const body: PageBody = { kind: 'page', id, revision: this.revision };
    if (ask.mode === 'refusals') return { body, lines: [] };
    if (ask.mode === 'delta') return { body: { ...body, scan: true }, lines: [] };
    return ask.mode === 'scan' ? { body, lines: this.lines } : { body: { ...body, end: this.head() }, lines: [] };
  }
}

const ABOUT = { environment: 'kubernetes', systemNamespace: 'kuma-system' } as const;

function hex(): string {
  return randomBytes(8).toString('hex');
}
