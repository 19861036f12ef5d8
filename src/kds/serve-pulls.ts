import { type Key, keyFromTuple, keyTuple } from '../resource/key.ts';
import type { FeedChange, Head, Position, Reader } from '../resource/store/store.ts';
import { isOwn, epochOf, makePosition, type CursorSigner, provesRestore } from './cursor.ts';
import { encodeDelete } from './item.ts';
import { type Ask, PAGE_BYTES, PUSH_BYTES, type PageBody, type Pull, type Push } from './protocol.ts';

/** A page with its items, still encoded. */
export interface ServedPage {
  readonly body: PageBody;
  readonly lines: readonly string[];
}

/** Why this store can't be right: it was shown its own signature on something that it does not know. */
export interface Divergence {
  readonly diverged: string;
  /** The term that was shown. */
  readonly term: number;
}

/** What answers are made of: the store of this control plane, and its signature. */
export interface PullSource {
  readonly store: Reader;
  readonly sign: CursorSigner;
  /** About how many bytes of items a page has; PAGE_BYTES. */
  readonly pageBytes?: number | undefined;
}

/**
 * Answers a pull of `peer`. Keeps no state: the request says all, so that any copy of global can answer the next page.
 * A delta is served only where the own log agrees with the cursor (docs/design/trust.md#cursors).
 */
export function servePull(source: PullSource, peer: string, pull: Pull): ServedPage | Divergence {
  const { ask, id } = pull;
  switch (ask.mode) {
    case 'delta':
      return serveDelta(source, peer, id, ask);
    case 'tail':
      return serveChanges(source, peer, id, ask.revision, ask.after);
    case 'scan':
      return serveScan(source, peer, id, ask);
    case 'refusals':
      return serveRefusals(source, peer, id, ask.after ? keyFromTuple(ask.after) : undefined);
  }
}

/**
 * The delta from `base` to the head, whose cursor is `end`, if it fits into a push (of `most` bytes). Where the peer's
 * feed at revision `since` was what it is in `base`, it begins there: what lies between is not read again. undefined:
 * too much, or the own log does not say the same of that revision (it does not reach back, or the store was restored):
 * then the peer asks, and shows its cursor.
 */
export function makePush(
  store: Reader,
  peer: string,
  base: { revision: number; digest: string; count: number },
  since: number,
  end: Position,
  most = PUSH_BYTES,
): { body: Push; lines: readonly string[] } | undefined {
  const isBase = (revision: number): boolean => {
    const then = store.feed.summaryAt(peer, revision);
    return then?.digest === base.digest && then.count === base.count;
  };
  const from = since > base.revision && isBase(since) ? since : base.revision;
  const { changes, next } = store.feed.changes(peer, from, 0, Math.min(PUSH_BYTES, most));
  if (next !== undefined || !isBase(from)) return undefined;
  return { body: { kind: 'push', from: { digest: base.digest, count: base.count }, end }, lines: changes.map(toLine) };
}

function serveDelta(source: PullSource, peer: string, id: string, ask: Extract<Ask, { mode: 'delta' }>): ServedPage | Divergence {
  const verdict = judgeCursor(source, peer, ask.cursor);
  if (verdict === 'agrees') return serveChanges(source, peer, id, ask.cursor.revision, ask.after);
  if (verdict !== 'unknown') return verdict;
  return { body: { kind: 'page', id, revision: source.store.head().revision, scan: true }, lines: [] };
}

/**
 * Whether the own log agrees with a cursor. `unknown`: it can't tell (an older term, a foreign signature, a pruned
 * log), so only a scan helps. A divergence is proven only by the own signature. Where the log is pruned, the epoch that
 * signed it may still tell.
 */
export function judgeCursor({ store, sign }: PullSource, peer: string, cursor: Position): 'agrees' | 'unknown' | Divergence {
  const head: Head = store.head();
  const { term, revision } = cursor;
  if (cursor.store !== head.store || !isOwn(sign, peer, cursor)) return 'unknown';
  if (term < head.term) return 'unknown';
  const diverged = (reason: string): Divergence => ({ diverged: `${peer} holds ${reason}`, term });
  if (term > head.term || revision > head.revision)
    return diverged(`revision ${revision} of term ${term}; this store is at revision ${head.revision} of term ${head.term}`);
  const then = store.feed.summaryAt(peer, revision);
  if (!then) return lost(store, cursor) ? diverged(`a revision ${revision} that this store does not know`) : 'unknown';
  if (then.digest === cursor.digest && then.count === cursor.count) return 'agrees';
  return diverged(`another revision ${revision} than this store`);
}

function lost(store: Reader, cursor: Position): boolean {
  const epoch = epochOf(cursor);
  return epoch !== '' && provesRestore(store, epoch, cursor.revision);
}

function serveChanges(
  { store, sign, pageBytes = PAGE_BYTES }: PullSource,
  peer: string,
  id: string,
  revision: number,
  after: number,
): ServedPage {
  const head = store.head();
  // Not by its summary: for any revision that a zone names, that would read the log back.
  if (!store.feed.reaches(revision)) {
    return { body: { kind: 'page', id, revision: head.revision, scan: true }, lines: [] };
  }
  const { changes, next } = store.feed.changes(peer, revision, after, pageBytes);
  const lines = changes.map(toLine);
  if (next !== undefined) return { body: { kind: 'page', id, revision: head.revision, next }, lines };
  return { body: { kind: 'page', id, revision: head.revision, end: makePosition(sign, peer, head, store.feed.summary(peer)) }, lines };
}

/**
 * A receiver deletes what a scan does not list. A restored store must not serve one, so it is shown the cursor first.
 */
function serveScan(
  source: PullSource,
  peer: string,
  id: string,
  { cursor, after }: Extract<Ask, { mode: 'scan' }>,
): ServedPage | Divergence {
  const verdict = cursor ? judgeCursor(source, peer, cursor) : 'unknown';
  if (typeof verdict === 'object') return verdict;
  const { store, pageBytes = PAGE_BYTES } = source;
  const { items, next } = store.feed.page(peer, after ? keyFromTuple(after) : undefined, pageBytes);
  const body: PageBody = { kind: 'page', id, revision: store.head().revision, ...(next ? { next: [...keyTuple(next)] } : {}) };
  return { body, lines: items.map(toLine) };
}

/** A page has no more refusals than these: the peer may not want the rest (refusal-transfer.ts). */
const REFUSALS_READ = 500;

/** What this control plane refused of the peer's feed, in key order. */
function serveRefusals({ store, pageBytes = PAGE_BYTES }: PullSource, peer: string, id: string, after: Key | undefined): ServedPage {
  const lines: string[] = [];
  let bytes = 0;
  let last: Key | undefined;
  const refusals = store.mirror.refusals(peer, after, REFUSALS_READ);
  for (const refusal of refusals) {
    const line = JSON.stringify({ ...refusal, key: keyTuple(refusal.key) });
    if (last && bytes + line.length > pageBytes) {
      return { body: { kind: 'page', id, revision: store.head().revision, next: [...keyTuple(last)] }, lines };
    }
    lines.push(line);
    bytes += line.length;
    last = refusal.key;
  }
  const body: PageBody = { kind: 'page', id, revision: store.head().revision };
  return { body: refusals.length === REFUSALS_READ && last ? { ...body, next: [...keyTuple(last)] } : body, lines };
}

function toLine({ key, wire }: FeedChange): string {
  return wire === '' ? encodeDelete(key) : wire;
}
