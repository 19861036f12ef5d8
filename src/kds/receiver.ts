import type { Position } from '../resource/store/store.ts';
import { ANSWER_TIMEOUT, type Ask, LINE_BYTES, MAX_TRIES, type PageBody, type Push } from './protocol.ts';

/**
 * The receiving half of a session: decides when to ask, for what, and when the answer may be applied. Pure: state and
 * event in, state and effects out.
 *
 *   status: head 7, mine 5          -> ask delta(cursor 5, after 0)
 *   page 1 of 2                     -> stage it, ask delta(cursor 5, after 4031)
 *   page 2 of 2, end 7              -> apply what is staged and this, as one commit
 */
export interface Receiving {
  /** The request that is out, if any. One at a time. */
  readonly asking?: OpenRequest | undefined;
  /** A transfer is being applied. Until its outcome is known, nothing is asked. */
  readonly applying: boolean;
  /**
   * The transfer that is being applied was asked of an earlier process, or before the connection was lost. So its end
   * says nothing about the process that speaks now.
   */
  readonly staleRequest?: boolean | undefined;
  /** The newest head that the peer announced. */
  readonly seen?: Position | undefined;
  /** Something did not add up: only a full scan helps. */
  readonly scanNeeded: boolean;
  /** Failures in a row, for the back-off. */
  readonly failures: number;
  /** Not before this (monotonic ms). */
  readonly retryAt: number;
  /** Answers did not come: perhaps a server further on carries less at once than ours. So many bytes are asked for. */
  readonly narrowed?: { readonly bytes: number; readonly at: number } | undefined;
}

interface OpenRequest {
  readonly ask: Exclude<Ask, { mode: 'refusals' }>;
  readonly id: string;
  readonly sentAt: number;
  readonly tries: number;
  /** Of a scan: the revision when it began. Its tail is asked from there. */
  readonly scanRevision?: number | undefined;
  /** What is staged, in bytes. */
  readonly staged: number;
}

export type ReceiverEffect =
  | { readonly do: 'ask'; readonly id: string; readonly ask: Ask }
  | { readonly do: 'stage'; readonly lines: readonly string[] }
  | { readonly do: 'unstage' }
  /**
   * Apply what is staged and these lines in one commit, if it then adds up to `end`. The outcome comes back as an
   * event.
   */
  | { readonly do: 'apply'; readonly mode: 'delta' | 'scan'; readonly lines: readonly string[]; readonly end: Position }
  | { readonly do: 'adopt'; readonly position: Position };

/** What a step may use besides its state: the stored position, the time, and randomness. */
export interface ReceiverContext {
  readonly position: Position | undefined;
  /** Monotonic, ms. */
  readonly now: number;
  /** In [0, 1). */
  readonly random: number;
  /** A fresh id for one request, hex. */
  readonly id: string;
  /** A transfer that gets larger is given up: else a peer that never ends one fills the disk. */
  readonly maxTransfer: number;
  /** So many bytes at once reach us, as far as our own server says. */
  readonly mostBytes: number;
}

export interface ReceiverStep {
  readonly state: Receiving;
  readonly effects: readonly ReceiverEffect[];
}

export const NEW_RECEIVING: Receiving = { applying: false, scanNeeded: false, failures: 0, retryAt: 0 };

const MAX_BACKOFF = 30_000;
/** Where answers are lost for their size, each time so much less is asked for at once, down to so many bytes. */
const NARROWING = 4;
const NARROWEST = 4_096;
/** After this time the whole is tried again. ms */
const NARROWED_FOR = 600_000;
/** A mirror that agrees with a head this far ahead adopts its revision, so that the sender may prune its log. */
const ADOPT_DISTANCE = 1_000;

/** The peer announced its head. A late announcement of the same process does not count. */
export function onHead(state: Receiving, head: Position, context: ReceiverContext): ReceiverStep {
  return start({ ...state, seen: newest(state.seen, head) }, context);
}

/** A small delta came unasked. It is applied if it starts from the present mirror. Else it only announces a head. */
export function onPush(state: Receiving, push: Push, lines: readonly string[], context: ReceiverContext): ReceiverStep {
  const seen = newest(state.seen, push.end);
  const { position } = context;
  const fits =
    !state.asking &&
    !state.applying &&
    !state.scanNeeded &&
    position?.store === push.end.store &&
    position.term === push.end.term &&
    position.revision < push.end.revision &&
    position.digest === push.from.digest &&
    position.count === push.from.count;
  if (!fits) return start({ ...state, seen }, context);
  return { state: { ...state, seen, applying: true }, effects: [{ do: 'apply', mode: 'delta', lines, end: push.end }] };
}

/** An answer. One that was not asked for, or comes late, is dropped. */
export function onPage(state: Receiving, page: PageBody, lines: readonly string[], context: ReceiverContext): ReceiverStep {
  const { asking } = state;
  if (!asking || asking.id !== page.id) return { state, effects: [] };
  if (page.scan) return restartAsScan(state, context);
  const next = nextAsk(asking, page);
  if (asking.staged + sizeOf(lines) > context.maxTransfer) return fail(state, context);
  if (next) return askNext(state, asking, page, next, lines, context);
  if (!page.end) return fail(state, context);
  const mode = asking.ask.mode === 'delta' ? 'delta' : 'scan';
  return { state: { ...state, asking: undefined, applying: true }, effects: [{ do: 'apply', mode, lines, end: page.end }] };
}

/**
 * How the commit went. `mismatch`: the result did not add up to the digest that the sender gave. `failed`: the own
 * store could not write it (a full disk). What is stored is still right.
 */
export type ApplyOutcome = 'applied' | 'mismatch' | 'failed';

export function onApplied(before: Receiving, outcome: ApplyOutcome, context: ReceiverContext): ReceiverStep {
  const state = { ...before, applying: false, staleRequest: undefined };
  if (outcome === 'failed') return fail(state, context);
  if (outcome === 'mismatch') return fail({ ...state, scanNeeded: true }, context);
  // The peer may have announced something else for the same revision. Then the cursor that it signed last counts.
  const seen = context.position && !before.staleRequest ? newest(state.seen, context.position) : state.seen;
  return start({ ...state, seen, scanNeeded: false, failures: 0, retryAt: 0 }, context);
}

/** Time passed: ask again for an answer that did not come, or start what had to wait. */
export function onTick(state: Receiving, context: ReceiverContext): ReceiverStep {
  const { asking } = state;
  if (!asking) return start(state, context);
  if (context.now - asking.sentAt < ANSWER_TIMEOUT) return { state, effects: [] };
  if (asking.tries >= MAX_TRIES) return fail(state, context);
  // The same question: where the way is long, the answer to the first is the next to come.
  const again: OpenRequest = { ...asking, sentAt: context.now, tries: asking.tries + 1 };
  return { state: { ...state, asking: again, narrowed: narrow(state, context) }, effects: [{ do: 'ask', id: again.id, ask: again.ask }] };
}

/**
 * The connection is gone, or another process speaks for the peer. No answer will come, and earlier announcements do not
 * count.
 */
export function onLost(state: Receiving): ReceiverStep {
  const effects: ReceiverEffect[] = state.asking ? [{ do: 'unstage' }] : [];
  const { applying, scanNeeded, narrowed } = state;
  return { state: { ...NEW_RECEIVING, applying, staleRequest: applying || undefined, scanNeeded, narrowed }, effects };
}

/** How many bytes at once the peer is to send: what our own server carries, or less where answers did not come. */
export function takenBytes({ narrowed }: Receiving, { now, mostBytes }: Pick<ReceiverContext, 'now' | 'mostBytes'>): number {
  return narrowed && now - narrowed.at < NARROWED_FOR ? Math.min(narrowed.bytes, mostBytes) : mostBytes;
}

function narrow(state: Receiving, context: ReceiverContext): Receiving['narrowed'] {
  const taken = takenBytes(state, context);
  return { bytes: Math.min(taken, Math.max(NARROWEST, Math.floor(taken / NARROWING))), at: context.now };
}

/**
 * Asks for what is missing, unless a request is out or it is too early. A resync is the ask for a scan: all that the
 * peer has. `scanNeeded` brings one about.
 */
function start(state: Receiving, context: ReceiverContext): ReceiverStep {
  if (state.asking || state.applying || context.now < state.retryAt) return { state, effects: [] };
  const missing = whatIsMissing(state, context.position);
  if (missing === 'nothing') return { state, effects: [] };
  if (typeof missing === 'object') return { state, effects: [{ do: 'adopt', position: missing }] };
  const ask: OpenRequest['ask'] =
    missing === 'delta' && context.position
      ? { mode: 'delta', cursor: context.position, after: 0 }
      : { mode: 'scan', cursor: context.position };
  return sendFirst(state, ask, context);
}

function sendFirst(state: Receiving, ask: OpenRequest['ask'], context: ReceiverContext): ReceiverStep {
  // The peer counts more items than one transfer can hold.
  if ((state.seen?.count ?? 0) * LINE_BYTES > context.maxTransfer) return fail(state, context);
  const asking: OpenRequest = { ask, id: context.id, sentAt: context.now, tries: 1, staged: 0 };
  return { state: { ...state, asking }, effects: [{ do: 'unstage' }, { do: 'ask', id: asking.id, ask }] };
}

/**
 * Compares the mirror with the announced head. A peer that announces less than its cursor said, or something else at
 * that revision, is shown that cursor: it then knows that its store was restored. A scan would only take away what it
 * forgot.
 */
function whatIsMissing({ seen, scanNeeded }: Receiving, mine: Position | undefined): 'nothing' | 'delta' | 'scan' | Position {
  if (!seen) return 'nothing';
  if (!mine || scanNeeded || mine.store !== seen.store || mine.term < seen.term) return 'scan';
  if (mine.term > seen.term || mine.revision > seen.revision) return 'delta';
  const agrees = mine.digest === seen.digest && mine.count === seen.count;
  if (!agrees) return 'delta';
  return seen.revision - mine.revision > ADOPT_DISTANCE ? seen : 'nothing';
}

/** Of two heads of one process the later. (Another process: `onLost` has cleared the first.) */
function newest(a: Position | undefined, b: Position): Position {
  if (!a) return b;
  return b.term > a.term || (b.term === a.term && b.revision >= a.revision) ? b : a;
}

/** What follows a page: more of the same; after a scan's last page its tail; nothing after the end. */
function nextAsk({ ask, scanRevision }: OpenRequest, page: PageBody): OpenRequest['ask'] | undefined {
  if (ask.mode === 'scan') {
    return Array.isArray(page.next)
      ? { mode: 'scan', after: page.next }
      : { mode: 'tail', revision: scanRevision ?? page.revision, after: 0 };
  }
  return typeof page.next === 'number' ? { ...ask, after: page.next } : undefined;
}

function askNext(
  state: Receiving,
  asking: OpenRequest,
  page: PageBody,
  ask: OpenRequest['ask'],
  lines: readonly string[],
  context: ReceiverContext,
): ReceiverStep {
  const scanRevision = asking.scanRevision ?? (asking.ask.mode === 'scan' ? page.revision : undefined);
  const staged = asking.staged + sizeOf(lines);
  const next: OpenRequest = { ask, id: context.id, sentAt: context.now, tries: 1, scanRevision, staged };
  return {
    state: { ...state, asking: next },
    effects: [
      { do: 'stage', lines },
      { do: 'ask', id: next.id, ask },
    ],
  };
}

/** An empty page counts too: there are no endless ones. */
function sizeOf(lines: readonly string[]): number {
  return lines.reduce((bytes, line) => bytes + line.length + LINE_BYTES, LINE_BYTES);
}

function restartAsScan(state: Receiving, context: ReceiverContext): ReceiverStep {
  if (state.asking?.ask.mode !== 'delta') return fail(state, context);
  return sendFirst({ ...state, asking: undefined }, { mode: 'scan', cursor: context.position }, context);
}

/**
 * Gives up for now; waits the longer the more often it failed, with jitter so that zones don't come back all at once.
 */
function fail(state: Receiving, context: ReceiverContext): ReceiverStep {
  const failures = state.failures + 1;
  const wait = Math.min(MAX_BACKOFF, 200 * 2 ** Math.min(failures, 10)) * (0.5 + context.random / 2);
  return { state: { ...state, asking: undefined, failures, retryAt: context.now + wait }, effects: [{ do: 'unstage' }] };
}
