import { newSession, type Session } from '../../kds/session.ts';

/** Far above the zones that one global is made for. */
const MOST = 10_000;
/** Whoever was not heard of for so long (ms) may be forgotten: should it speak again, its session begins anew. */
const LONG = 10 * 60_000;

/**
 * The sessions of one control plane, by peer. A session is state, and not a cache. But without credentials anybody on
 * the machine can invent zones, so where there are too many, those that hold nothing go: not heard of for long, and
 * nothing of them is asked, applied or listed. If it is only silent that they are, the rest stays.
 */
export class Sessions {
  private readonly most: number;

  /** Those that were heard of longest ago come first. */
  private readonly kept = new Map<string, Session>();

  constructor(most = MOST) {
    this.most = most;
  }

  get(peer: string): Session {
    return this.kept.get(peer) ?? newSession(peer);
  }

  has(peer: string): boolean {
    return this.kept.has(peer);
  }

  peers(): IterableIterator<string> {
    return this.kept.keys();
  }

  /** Keeps the state of a peer. `now`: monotonic ms. */
  set(peer: string, session: Session, now: number): void {
    const before = this.kept.get(peer);
    if (before && before.heardAt !== session.heardAt) this.kept.delete(peer);
    this.kept.set(peer, session);
    if (!before && this.kept.size > this.most) this.forget(peer, now);
  }

  /** Ends at the first that was heard of lately: all behind it were too. */
  private forget(added: string, now: number): void {
    for (const [peer, session] of this.kept) {
      if (this.kept.size <= this.most || now - session.heardAt < LONG) return;
      if (peer !== added && isIdle(session)) this.kept.delete(peer);
    }
  }
}

function isIdle({ receiving, listing }: Session): boolean {
  return receiving.asking === undefined && !receiving.applying && listing === undefined;
}
