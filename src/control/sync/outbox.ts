import { LRUCache } from 'lru-cache';
import { makePosition, type Sign } from '../../kds/cursor.ts';
import { type ZoneInfo, type Acknowledged, type Body, encodeMessage, type Speaker, type Status } from '../../kds/protocol.ts';
import type { Transport } from '../../kds/transport.ts';
import type { Position } from '../../resource/store/store.ts';
import type { Plane } from '../plane/plane.ts';
import { diverged } from '../peers/divergence.ts';

export interface OutboxOptions {
  readonly plane: Plane;
  /** This process. Its term is read from the store each time. */
  readonly self: Speaker;
  readonly sign: Sign;
  /** What a zone says of itself; undefined on global. */
  readonly about: ZoneInfo | undefined;
  readonly transport: Transport;
}

/** Peers of whom something is remembered: without credentials anybody on the machine can invent zones. */
const MOST = 10_000;

/** What this control plane says to its peers, in its own name. */
export class Outbox {
  private readonly options: OutboxOptions;

  /** Heads that were signed, by peer: one for each revision. */
  private readonly heads = new LRUCache<string, Position>({ max: MOST });

  /** Why a peer's last transfer was not taken. */
  private readonly notTaken = new LRUCache<string, string>({ max: MOST });

  constructor(options: OutboxOptions) {
    this.options = options;
  }

  speaker(): Speaker {
    return { ...this.options.self, term: this.store.head().term };
  }

  /** The signed cursor of the own feed for `peer`, at its head. */
  headFor(peer: string): Position {
    const head = this.store.head();
    const known = this.heads.get(peer);
    if (known && known.revision === head.revision && known.term === head.term) return known;
    const made = makePosition(this.options.sign, peer, head, this.store.feed.summary(peer));
    this.heads.set(peer, made);
    return made;
  }

  /** The same for people: nobody else can check the signature. */
  unsignedHead(peer: string): Position {
    const { store, term, revision } = this.store.head();
    return { store, term, revision, ...this.store.feed.summary(peer), signature: '' };
  }

  /** How things stand between this control plane and `peer`. Without a head while this store waits for `recover`. */
  statusOf(peer: string): Status {
    const position = this.store.mirror.position(peer);
    const notTaken = this.notTaken.get(peer);
    const ack: Acknowledged = {
      refusals: this.store.mirror.refusalSum(peer).digest,
      ...(position ? { position } : {}),
      ...(notTaken === undefined ? {} : { notTaken }),
    };
    const silent = diverged(this.store) !== undefined;
    const { about } = this.options;
    return { kind: 'status', ack, ...(silent ? {} : { head: this.headFor(peer) }), ...(about ? { about } : {}) };
  }

  /** What became of a peer's transfer: why nothing of it was taken; undefined: it was, or it is asked for again. */
  took(peer: string, problem: string | undefined): void {
    if (problem === undefined) this.notTaken.delete(peer);
    else this.notTaken.set(peer, problem);
  }

  whyNotTaken(peer: string): string | undefined {
    return this.notTaken.get(peer);
  }

  send(peer: string, body: Body, lines: readonly string[] = []): void {
    this.options.transport.send(peer, encodeMessage({ from: this.speaker(), body, lines }));
  }

  private get store() {
    return this.options.plane.store;
  }
}
