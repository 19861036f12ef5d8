import { type ZoneInfo, type Acknowledged, SILENCE } from '../../kds/protocol.ts';
import type { Session } from '../../kds/session.ts';
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
  readonly ack: Acknowledged | undefined;
  /** Why this side took nothing of the peer's last transfer. */
  readonly notTaken: string | undefined;
  /** Our feed for it. */
  readonly head: Position;
  /** Why nothing is exchanged. */
  readonly stopped: Session['stopped'];
  /** Another store that speaks for the peer too, and is refused. */
  readonly stranger: Omit<Stranger, 'at'> | undefined;
  /** Pulls that failed in a row. */
  readonly failures: number;
  readonly about: ZoneInfo | undefined;
}

/** What of a view is not in the session. */
export interface Seen {
  readonly head: Position;
  readonly position: Position | undefined;
  readonly notTaken: string | undefined;
  readonly now: number;
  readonly connected: boolean;
}

export function viewOf(session: Session, { head, position, notTaken, now, connected }: Seen): PeerView {
  const { peer, receiving, sending, stopped, stranger, about, heardAt } = session;
  return {
    peer,
    online: connected && now - heardAt <= SILENCE,
    upToDate: agrees(position, receiving.seen),
    ack: sending.ack,
    notTaken,
    head,
    stopped,
    stranger: stranger && now - stranger.at <= SILENCE ? { message: stranger.message, store: stranger.store } : undefined,
    failures: receiving.failures,
    about,
  };
}

function agrees(mine: Position | undefined, announced: Position | undefined): boolean {
  if (!mine || !announced) return false;
  return mine.term === announced.term && mine.digest === announced.digest && mine.count === announced.count;
}
