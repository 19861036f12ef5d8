import { LRUCache } from 'lru-cache';
import { makePosition, type Sign } from '../../kds/cursor.ts';
import { type ZoneInfo, type Acknowledged, type Body, encodeMessage, type Speaker, type Status } from '../../kds/protocol.ts';
import { digestOfRefusals } from '../../kds/refusal.ts';
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

  /** Of what this side refused, by peer, and at which change of the mirror: to work them out reads all refusals. */
  private readonly refusals = new LRUCache<string, { readonly changes: number; readonly digest: string }>({ max: MOST });
  /** Heads that were signed, by peer: one for each revision. */
  private readonly heads = new LRUCache<string, Position>({ max: MOST });

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

  /** How things stand between this control plane and `peer`. Without a head while this store waits for `recover`. */
  statusOf(peer: string): Status {
    const position = this.store.mirror.position(peer);
    const ack: Acknowledged = { refusals: this.refusalDigest(peer), ...(position ? { position } : {}) };
    const silent = diverged(this.store) !== undefined;
    const { about } = this.options;
    return { kind: 'status', ack, ...(silent ? {} : { head: this.headFor(peer) }), ...(about ? { about } : {}) };
  }

  /**
   * Says nothing that is not on the disk: what a peer was told, this store knows after a power cut too. Else its own
   * signature on a later revision would prove that it was restored, and `applied` would be no word to rely on.
   */
  send(peer: string, body: Body, lines: readonly string[] = []): void {
    this.store.toDisk();
    this.options.transport.send(peer, encodeMessage({ from: this.speaker(), body, lines }));
  }

  private get store() {
    return this.options.plane.store;
  }

  private refusalDigest(peer: string): string {
    const changes = this.store.mirror.changes(peer);
    const known = this.refusals.get(peer);
    if (known?.changes === changes) return known.digest;
    const digest = digestOfRefusals(this.store.mirror.refusals(peer));
    this.refusals.set(peer, { changes, digest });
    return digest;
  }
}
