import type { Position } from '../resource/store/store.ts';
import { ACKNOWLEDGE_INTERVAL, type FeedAck, SILENCE, SILENT_INTERVAL, STATUS_INTERVAL } from './protocol.ts';

/**
 * The sending half of a session: announces the head, and pushes small deltas to a peer that is known to be at the point
 * where they start. It keeps nothing that a lost message could make wrong: a push that does not fit is dropped over
 * there, and pulled. Pure.
 *
 *   ack: revision 5                    -> the next delta starts at 5
 *   commit 6 changes the peer's feed   -> push 5..6
 *   commit 7 changes nothing in it     -> nothing (the next delta starts at 7)
 */
export interface Sending {
  /** The state of the peer's mirror once everything pushed has arrived. undefined: unknown, so nothing is pushed. */
  readonly base?: { readonly revision: number; readonly digest: string; readonly count: number } | undefined;
  /** What the peer said last. */
  readonly ack?: FeedAck | undefined;
  /** When the last status went out (monotonic ms). */
  readonly statusAt: number;
  /** When the peer was last told of a commit of its items, and whether it is still to be told of a later one. */
  readonly acknowledgedAt: number;
  readonly owed: boolean;
}

export type SenderEffect =
  | { readonly do: 'status' }
  /** Push the changes after `base.revision` if they fit into one message; else only announce. */
  | {
      readonly do: 'push';
      readonly base: { readonly revision: number; readonly digest: string; readonly count: number };
      /** The revision before the commits that the peer is told of. */
      readonly since: number;
    };

export interface SenderStep {
  readonly state: Sending;
  readonly effects: readonly SenderEffect[];
}

export const NEW_SENDING: Sending = { statusAt: Number.NEGATIVE_INFINITY, acknowledgedAt: Number.NEGATIVE_INFINITY, owed: false };

export interface SenderContext {
  readonly head: Position;
  readonly now: number;
  /** When the peer was last heard (monotonic ms). */
  readonly heardAt: number;
  /** Global pushes; zones only announce, so that a flood from one costs the others nothing. */
  readonly pushes: boolean;
}

/**
 * The store changed the peer's feed, or may have. `since`: the revision before that; of commits that change nothing in
 * its feed nobody need be told.
 */
export function onCommit(state: Sending, since: number, context: SenderContext): SenderStep {
  const { head, now, heardAt, pushes } = context;
  if (now - heardAt > SILENCE) return { state, effects: [] };
  if (!pushes || !state.base) return announce(state, now);
  const next = { revision: head.revision, digest: head.digest, count: head.count };
  const unchanged = state.base.digest === head.digest && state.base.count === head.count;
  return { state: { ...state, base: next }, effects: unchanged ? [] : [{ do: 'push', base: state.base, since }] };
}

/** The peer said how far it is. If more was pushed since then, this changes nothing. */
export function onAck(state: Sending, ack: FeedAck, { head }: SenderContext): Sending {
  const { position } = ack;
  const own = position?.store === head.store && position.term === head.term;
  if (!own) return { ...state, ack, base: undefined };
  const news = !state.base || position.revision >= state.base.revision;
  return { ...state, ack, base: news ? { revision: position.revision, digest: position.digest, count: position.count } : state.base };
}

/**
 * The peer's items were committed here: it is told at once, but of many commits in a row only now and then. What it
 * sends next does not wait for that.
 *
 *   applied at 0, 90, 180 ms   -> told at 0 and, with the next tick, of the last
 */
export function acknowledge(state: Sending, now: number): SenderStep {
  if (now - state.acknowledgedAt < ACKNOWLEDGE_INTERVAL) return { state: { ...state, owed: true }, effects: [] };
  return announce({ ...state, acknowledgedAt: now }, now);
}

/** Time passed: announce when it is due. */
export function onSenderTick(state: Sending, { now, heardAt, pushes }: SenderContext): SenderStep {
  if (state.owed) return acknowledge(state, now);
  // A zone that is away speaks first when it is back. Global may be one that knows of no zone yet.
  const interval = pushes && now - heardAt > SILENCE ? SILENT_INTERVAL : STATUS_INTERVAL;
  return now - state.statusAt < interval ? { state, effects: [] } : announce(state, now);
}

/** Announces the head, and says how far the own mirror is. */
export function announce(state: Sending, now: number): SenderStep {
  return { state: { ...state, statusAt: now, owed: false }, effects: [{ do: 'status' }] };
}
