import { makePosition, type CursorSigner } from '../../kds/cursor.ts';
import { cutMessage, LEAST_PAYLOAD } from '../../kds/message-parts.ts';
import { type ZoneInfo, type FeedAck, type Body, encodeMessage, MAX_MESSAGE_BYTES, type Speaker, type Status } from '../../kds/protocol.ts';
import type { Transport } from '../../kds/transport.ts';
import type { Position } from '../../resource/store/store.ts';
import type { Plane } from '../plane/plane.ts';
import type { RuntimeDependencies } from '../plane/runtime-dependencies.ts';
import { perPeer } from '../peers/per-peer.ts';

export interface OutboxOptions {
  readonly plane: Plane;
  /** This process. Its term is read from the store each time. */
  readonly self: Speaker;
  readonly sign: CursorSigner;
  /** What a zone says of itself; undefined on global. */
  readonly about: ZoneInfo | undefined;
  readonly transport: Transport;
  readonly machine: RuntimeDependencies;
}

/** What this control plane says to its peers, in its own name. */
export class Outbox {
  private readonly options: OutboxOptions;

  /** Heads that were signed, by peer: one for each revision. */
  private readonly heads = perPeer<Position>();

  /** How many bytes at once reach a peer, by its own word; and how many this side asks it to send. */
  private readonly takes = perPeer<number>();
  private readonly wanted = perPeer<number>();
  /** Why a peer's last transfer was not taken. */
  private readonly notTaken = perPeer<string>();

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

  /**
   * How things stand between this control plane and `peer`. `halted`: this store waits for `recover`, and has no head.
   */
  statusOf(peer: string, halted: boolean): Status {
    const position = this.store.mirror.position(peer);
    const notTaken = this.notTaken.get(peer);
    const ack: FeedAck = {
      refusals: this.store.mirror.refusalSum(peer).digest,
      ...(position ? { position } : {}),
      ...(notTaken === undefined ? {} : { notTaken }),
    };
    const { about } = this.options;
    return { kind: 'status', ack, ...(halted ? {} : { head: this.headFor(peer) }), ...(about ? { about } : {}) };
  }

  /** What became of a peer's transfer: why nothing of it was taken; undefined: it was, or it is asked for again. */
  took(peer: string, problem: string | undefined): void {
    if (problem === undefined) this.notTaken.delete(peer);
    else this.notTaken.set(peer, problem);
  }

  whyNotTaken(peer: string): string | undefined {
    return this.notTaken.get(peer);
  }

  /**
   * Says nothing that is not on the disk: what a peer was told, this store knows after a power cut too. Else its own
   * signature on a later revision would prove that it was restored, and `applied` would be no word to rely on. In
   * parts, where less goes at once than the message has.
   */
  send(peer: string, body: Body, lines: readonly string[] = []): void {
    this.store.toDisk();
    const { transport, machine } = this.options;
    const takes = this.wanted.get(peer) ?? transport.way(peer).mostBytes;
    const text = encodeMessage({ from: this.speaker(), takes, body, lines });
    for (const part of cutMessage(text, this.mostTo(peer), machine.id)) transport.send(peer, part);
  }

  /** The last word of a process that is being stopped. */
  leave(peer: string, halted: boolean): void {
    this.send(peer, { ...this.statusOf(peer, halted), leaving: true });
  }

  /** How many bytes at once reach a peer. */
  mostTo(peer: string): number {
    const { mostBytes } = this.options.transport.way(peer);
    return Math.max(LEAST_PAYLOAD, Math.min(mostBytes, this.takes.get(peer) ?? LEAST_PAYLOAD));
  }

  /** A peer said what it takes; undefined: it is of a version that knows no parts. */
  heard(peer: string, takes = MAX_MESSAGE_BYTES): void {
    this.takes.set(peer, Math.max(LEAST_PAYLOAD, takes));
  }

  /** So many bytes at once the peer is to send from now on. */
  want(peer: string, bytes: number): void {
    this.wanted.set(peer, bytes);
  }

  private get store() {
    return this.options.plane.store;
  }
}
