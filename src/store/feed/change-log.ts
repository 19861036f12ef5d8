import type { Connection } from '../connection.ts';
import type { StoreSettings } from '../store-settings.ts';
import type { FeedStep } from './feed-digests.ts';

/**
 * How many changes the log keeps: less than 100 MB, and days of an ordinary fleet. A zone that has fallen further
 * behind needs a scan.
 */
export const LOG_ENTRIES = 200_000;

/** About how many changes are pruned at a time, so that no commit gets slow. */
const PRUNE_STEP = 1_000;
/** And at most, though a whole revision is forgotten at once: what is left of it goes with the next commits. */
export const PRUNE_MOST = 4_000;

/**
 * The change log: what each commit changed for the feeds, in order. `seq` has no gaps; all entries of a revision are
 * there or none. A delta can be made from `floor` or any later revision.
 */
export interface ChangeLog {
  append(revision: number, step: FeedStep): void;
  /** What was changed after `revision`; read it at once, before anything else is asked of the store. */
  behind(revision: number): IterableIterator<Omit<FeedStep, 'key'>>;
  /** The position of the first entry after `revision`, if there is one. */
  start(revision: number): number | undefined;
  /** The audiences that what changed after `revision` had or has; undefined: too much changed. */
  audiences(revision: number): readonly string[] | undefined;
  /** Takes away at most `most` of what is forgotten; true: there is more of that. */
  prune(most: number): boolean;
}

/** Of so many entries the audiences are looked at. */
const AUDIENCES_OF = 1_000;

interface LogEntry {
  readonly zone: string;
  readonly audience_before: string;
  readonly hash_before: string;
  readonly audience_after: string;
  readonly hash_after: string;
}

export function createLog(db: Connection, settings: StoreSettings): ChangeLog {
  const insert = db.prepare<[number, number, string, string, string, string]>(
    `INSERT INTO log (revision, key, audience_before, hash_before, audience_after, hash_after) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const behind = db.prepare<[number], LogEntry>(
    `SELECT k.zone, l.audience_before, l.hash_before, l.audience_after, l.hash_after
     FROM log l JOIN keys k ON k.id = l.key WHERE l.revision > ?`,
  );
  const audiences = db
    .prepare<[{ revision: number }], [string, string]>(
      `SELECT audience_before, audience_after FROM log WHERE revision > @revision LIMIT ${AUDIENCES_OF + 1}`,
    )
    .raw();
  const start = db.prepare<[number], number>('SELECT seq FROM log WHERE revision > ? ORDER BY revision, seq LIMIT 1').pluck();
  return {
    append(revision, { key, before, after }) {
      insert.run(revision, key, before.audience, before.hash, after.audience, after.hash);
    },
    *behind(revision) {
      for (const entry of behind.iterate(revision)) yield stepOf(entry);
    },
    start: (revision) => start.get(revision),
    audiences(revision) {
      const found = audiences.all({ revision });
      return found.length > AUDIENCES_OF ? undefined : [...new Set(found.flat())];
    },
    prune: createPrune(db, settings),
  };
}

function stepOf(entry: LogEntry): Omit<FeedStep, 'key'> {
  return {
    zone: entry.zone,
    before: { audience: entry.audience_before, hash: entry.hash_before },
    after: { audience: entry.audience_after, hash: entry.hash_after },
  };
}

/**
 * Forgets whole revisions, oldest first, down to LOG_ENTRIES, and takes away their entries, some at a time. The newest
 * entry stays, so that no `seq` is ever used twice.
 *
 *   entry        1  2  3  4  5  6     keep 3: entry 4 is the first to keep, but its revision began at 3
 *   revision     7  7  8  8  9  9     floor 7: a delta from 7 needs revisions 8 and 9
 */
function createPrune(db: Connection, settings: StoreSettings): ChangeLog['prune'] {
  const bounds = db.prepare<[], { oldest: number; newest: number }>(
    'SELECT (SELECT min(seq) FROM log) AS oldest, (SELECT max(seq) FROM log) AS newest',
  );
  const revisionAt = db.prepare<[number], number>('SELECT revision FROM log WHERE seq = ?').pluck();
  const remove = db.prepare<[number, number]>('DELETE FROM log WHERE seq < ? AND revision <= ?');
  function forget(oldest: number, newest: number): void {
    const revision = newest - oldest < LOG_ENTRIES + PRUNE_STEP ? undefined : revisionAt.get(newest - LOG_ENTRIES + 1);
    if (revision !== undefined && revision - 1 > settings.floor()) settings.setFloor(revision - 1);
  }
  return (most) => {
    const { oldest, newest } = bounds.get() ?? { oldest: 0, newest: 0 };
    forget(oldest, newest);
    if ((revisionAt.get(oldest) ?? newest) > settings.floor()) return false;
    return remove.run(oldest + most, settings.floor()).changes === most;
  };
}
