import { type ZoneInfo, type FeedAck, SILENCE } from '../../kds/protocol.ts';
import { disabledNotice, type Session } from '../../kds/session.ts';
import type { Stranger } from '../../kds/sender-identity.ts';
import type { Position } from '../../resource/store/store.ts';

/** One peer, as seen from here: for /ready, the ledger and `inspect zones`. */
export interface PeerView {
  readonly peer: string;
  /** It was heard a moment ago. */
  readonly online: boolean;
  /** Everything that the peer announced is here, and adds up. */
  readonly upToDate: boolean;
  /** How far the peer's mirror of our feed is, by its own last word. */
  readonly ack: FeedAck | undefined;
  /** Why this side took nothing of the peer's last transfer. */
  readonly notTaken: string | undefined;
  /** Our feed for it. */
  readonly head: Position;
  /** Why nothing is exchanged. */
  readonly stopped: Session['stopped'];
  /** Why what is meant for it does not reach it, although both are connected. */
  readonly unsent: string | undefined;
  /** Another store that speaks for the peer too, and is refused. */
  readonly stranger: Omit<Stranger, 'at'> | undefined;
  /** Pulls that failed in a row. */
  readonly failures: number;
  readonly about: ZoneInfo | undefined;
}

/** What is known besides the session. */
export interface PeerSurroundings {
  readonly head: Position;
  readonly position: Position | undefined;
  /** Why the peer's last transfer was not taken. */
  readonly notTaken: string | undefined;
  /** Monotonic, ms. */
  readonly now: number;
  readonly connected: boolean;
  /** The peer may exchange nothing now. */
  readonly disabled: boolean;
  /** Why the transport carries nothing there. */
  readonly refused: string | undefined;
  /** How many bytes at once reach it. */
  readonly mostBytes: number;
  /** How often it asked for what it asked last: more than once where the answer did not come. */
  readonly timesAsked: number;
}

export function viewOf(session: Session, surroundings: PeerSurroundings): PeerView {
  const { head, position, notTaken, now, connected, disabled } = surroundings;
  const { peer, receiving, sending, stopped, stranger, about, heardAt } = session;
  return {
    peer,
    online: connected && now - heardAt <= SILENCE,
    upToDate: agrees(position, receiving.seen),
    ack: sending.ack,
    notTaken,
    head,
    stopped: disabled ? disabledNotice(peer) : stopped,
    unsent: connected ? whyUnsent(session, surroundings) : undefined,
    stranger: stranger && now - stranger.at <= SILENCE ? { message: stranger.message, store: stranger.store } : undefined,
    failures: receiving.failures,
    about,
  };
}

/** A peer that asks so often for the same does not get the answer. */
const ASKED_IN_VAIN = 3;

function whyUnsent({ sending }: Session, { refused, head, mostBytes, timesAsked }: PeerSurroundings): string | undefined {
  if (refused !== undefined) return `NATS does not carry what is meant for it: ${refused}`;
  if (timesAsked < ASKED_IN_VAIN || agrees(head, sending.ack?.position)) return undefined;
  return `it asked ${timesAsked} times for the same, our answers do not arrive: perhaps a NATS server on the way carries less than ${mostBytes} bytes at once (max_payload)`;
}

function agrees(mine: Omit<Position, 'signature'> | undefined, announced: Omit<Position, 'signature'> | undefined): boolean {
  if (!mine || !announced) return false;
  return mine.term === announced.term && mine.digest === announced.digest && mine.count === announced.count;
}
