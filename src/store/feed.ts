import { MeridianError } from '../errors.js';
import type { FeedReader } from '../resource/store.js';
import { createChanges } from './changes.js';
import type { Connection } from './database.js';
import type { Log } from './log.js';
import { createPage } from './page.js';
import type { Settings } from './settings.js';
import { addItem, copySums, emptySums, type Sums, summaryOf, undoStep } from './sums.js';

/** Many peers stand at few revisions: the sums of that many are remembered. The past doesn't change. */
const REMEMBERED = 8;

/**
 * The feeds. `changes` throws `conflict` for a revision that the log doesn't reach back to, or that is not there yet: ask
 * `summaryAt` first, and take a scan if pruning comes between two pages. In a commit, `summary` shows what was written so far.
 */
export function createFeed(db: Connection, settings: Settings, log: Log, sums: Sums): FeedReader {
  const past = createPast(log, sums);
  const changes = createChanges(db, log);
  const reaches = (revision: number): boolean => revision >= settings.floor() && revision <= settings.head().revision;
  return {
    summary: (peer) => summaryOf(sums, peer),
    summaryAt: (peer, revision) => (reaches(revision) ? summaryOf(past(revision), peer) : undefined),
    changes(peer, revision, after, maxBytes) {
      if (!reaches(revision))
        throw new MeridianError('conflict', `the change log does not reach back to revision ${revision}`);
      return changes(peer, revision, after, maxBytes);
    },
    page: createPage(db),
  };
}

/** The sums as they were at a revision: those of now, with what the log has behind it undone. */
function createPast(log: Log, sums: Sums): (revision: number) => Sums {
  const remembered = new Map<number, Sums>();
  return (revision) => {
    const known = remembered.get(revision);
    if (known) return known;
    const then = copySums(sums);
    for (const step of log.behind(revision)) undoStep(then, step);
    remembered.set(revision, then);
    for (const oldest of remembered.keys()) if (remembered.size > REMEMBERED) remembered.delete(oldest);
    return then;
  };
}

/** The sums of what is in the database. */
export function readSums(db: Connection): Sums {
  const sums = emptySums();
  const items = db.prepare<[], [audience: string, zone: string, hash: string]>(
    `SELECT audience, zone, hash FROM resources INDEXED BY feed WHERE audience <> ''`,
  );
  for (const [audience, zone, hash] of items.raw().iterate() as Iterable<[string, string, string]>)
    addItem(sums, zone, { audience, hash });
  return sums;
}
