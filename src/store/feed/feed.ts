import type { FeedReader } from '../../resource/store/store.ts';
import { createChanges } from './feed-changes.ts';
import type { Connection } from '../connection.ts';
import type { ChangeLog } from './change-log.ts';
import { createPage } from './scan-page.ts';
import type { StoreSettings } from '../store-settings.ts';
import { addItem, copyDigests, emptyDigests, type FeedDigests, summaryOf, undoStep } from './feed-digests.ts';

/** Many peers stand at few revisions: the sums of that many are remembered. The past doesn't change. */
const REMEMBERED = 8;

/**
 * The feeds. The log reaches back to `floor`. For an earlier revision there is no `summaryAt` and no `changes`, so that
 * nobody takes the rest for the whole. In a commit, `summary` shows what was written so far. `forget`: a commit was
 * rolled back; what it looked at may never have been a past.
 */
export function createFeed(db: Connection, settings: StoreSettings, log: ChangeLog, sums: FeedDigests): FeedReader & PastDigests {
  const past = createPast(log, sums);
  const changes = createChanges(db, log);
  return {
    summary: (peer) => summaryOf(sums, peer),
    concerned(revision) {
      const audiences = revision < settings.floor() ? undefined : log.audiences(revision);
      return audiences?.includes('*') ? undefined : audiences?.filter((audience) => audience !== '');
    },
    reaches: (revision) => revision >= settings.floor(),
    summaryAt(peer, revision) {
      const known = revision >= settings.floor() && revision <= settings.head().revision;
      return known ? summaryOf(past.at(revision), peer) : undefined;
    },
    changes(peer, revision, after, maxBytes) {
      return revision < settings.floor() ? { changes: [], next: undefined } : changes(peer, revision, after, maxBytes);
    },
    page: createPage(db),
    forget: past.forget,
    keep: past.keep,
  };
}

/** What is remembered of the past. */
interface PastDigests {
  forget(): void;
  /** The sums are those of this revision: to work them out later would undo all that one commit changed. */
  keep(revision: number): void;
}

/** The sums as they were at a revision: today's sums, with the later changes in the log undone. */
function createPast(log: ChangeLog, sums: FeedDigests): PastDigests & { at(revision: number): FeedDigests } {
  const remembered = new Map<number, FeedDigests>();
  const at = (revision: number): FeedDigests => {
    const known = remembered.get(revision);
    if (known) return known;
    const then = copyDigests(sums);
    for (const step of log.behind(revision)) undoStep(then, step);
    remember(revision, then);
    return then;
  };
  function remember(revision: number, then: FeedDigests): void {
    remembered.set(revision, then);
    for (const oldest of remembered.keys()) if (remembered.size > REMEMBERED) remembered.delete(oldest);
  }
  return { at, keep: (revision) => remember(revision, copyDigests(sums)), forget: () => remembered.clear() };
}

/** The sums of what is in the database. */
export function readSums(db: Connection): FeedDigests {
  const sums = emptyDigests();
  const items = db.prepare<[], [audience: string, zone: string, hash: string]>(
    `SELECT audience, zone, hash FROM resources INDEXED BY feed WHERE audience <> ''`,
  );
  for (const [audience, zone, hash] of items.raw().iterate() as Iterable<[string, string, string]>) addItem(sums, zone, { audience, hash });
  return sums;
}
