import type { Refusal } from '../resource/store/store.ts';
import type { KeyTuple } from '../resource/key.ts';
import { ANSWER_TIMEOUT, type Ask, MAX_TRIES, type PageBody } from './protocol.ts';
import { decodeRefusal } from './refusal.ts';

/**
 * The transfer of what a peer refused of our feed, for the ledger. Pure.
 *
 *   status: refusals d1, recorded ''   -> ask for the list
 *   page 1 of 2                        -> ask for the next
 *   page 2 of 2                        -> record the list as d1
 */
export interface RefusalTransfer {
  readonly id: string;
  /** The last question, when it was asked, and how often. */
  readonly after?: KeyTuple | undefined;
  readonly sentAt: number;
  readonly tries: number;
  /** What the peer called the list when it was asked for. */
  readonly digest: string;
  readonly refusals: readonly Refusal[];
}

export type RefusalTransferEffect =
  | { readonly do: 'ask'; readonly id: string; readonly ask: Ask }
  /** `whole`: those are all; else the first by key. */
  | { readonly do: 'refusals'; readonly digest: string; readonly refusals: readonly Refusal[]; readonly whole: boolean };

export interface RefusalTransferContext {
  /** A fresh id for one request, hex. */
  readonly id: string;
  /** Monotonic, ms. */
  readonly now: number;
  /** How many items the peer should have. */
  readonly most: number;
}

export interface RefusalTransferStep {
  readonly state: RefusalTransfer | undefined;
  readonly effects: readonly RefusalTransferEffect[];
}

/** So many are listed: of what is behind them in key order, it is not known whether it was refused. */
export const MOST_LISTED = 1_000;
/** A list may have this many refusals more than the feed has items: refused items may have left the feed since. */
const SPARE = 1_000;

/** The peer has another list than the one recorded. An empty one needs no question. */
export function askRefusals(digest: string, { id, now }: RefusalTransferContext): RefusalTransferStep {
  if (digest === '') return { state: undefined, effects: [{ do: 'refusals', digest, refusals: [], whole: true }] };
  return sendAsk({ id, sentAt: now, tries: 1, digest, refusals: [] });
}

/** The answer to what was asked last. */
export function onRefusalPage(
  state: RefusalTransfer,
  { next }: PageBody,
  lines: readonly string[],
  { id, now, most }: RefusalTransferContext,
): RefusalTransferStep {
  const refusals = [...state.refusals, ...lines.flatMap((line) => decodeRefusal(line) ?? [])];
  // More than the peer ever got, or pages without end: not a list, but a flood.
  if (refusals.length > most + SPARE || (next !== undefined && lines.length === 0)) return { state: undefined, effects: [] };
  const whole = !Array.isArray(next) && refusals.length <= MOST_LISTED;
  if (!Array.isArray(next) || refusals.length >= MOST_LISTED) {
    return { state: undefined, effects: [{ do: 'refusals', digest: state.digest, refusals: refusals.slice(0, MOST_LISTED), whole }] };
  }
  return sendAsk({ ...state, id, after: next, sentAt: now, tries: 1, refusals });
}

/**
 * Asks again for an answer that did not come, under the same id, as receiver.ts does. After that the next status starts
 * over.
 */
export function onRefusalTick(state: RefusalTransfer, now: number): RefusalTransferStep {
  if (now - state.sentAt < ANSWER_TIMEOUT) return { state, effects: [] };
  return state.tries < MAX_TRIES ? sendAsk({ ...state, sentAt: now, tries: state.tries + 1 }) : { state: undefined, effects: [] };
}

function sendAsk(state: RefusalTransfer): RefusalTransferStep {
  const ask: Ask = { mode: 'refusals', ...(state.after ? { after: [...state.after] } : {}) };
  return { state, effects: [{ do: 'ask', id: state.id, ask }] };
}
