import { MeridianError } from '../errors.ts';
import type { Parts } from '../resource/store/parts.ts';
import type { Durability, Outcome } from '../resource/store/store.ts';
import { runtimeError } from './database.ts';
import type { Connection } from './connection.ts';
import { type ChangeLog, PRUNE_MOST } from './feed/change-log.ts';
import type { Recorder } from './resources/resource-table.ts';
import type { StoreSettings } from './store-settings.ts';
import type { RolledBack } from './mirror/zone-usage.ts';
import { applyStep, type FeedStep, type FeedDigests, undoStep } from './feed/feed-digests.ts';

export interface Commits extends Recorder {
  /** Store.commit. `body` gets nothing: the transaction is put together in open-store.ts. */
  commit<T>(body: () => T, durability?: Durability): T;
  /** Store.commitEach. */
  commitEach<T>(bodies: readonly (() => T)[]): readonly Outcome<T>[];
  /** Store.commitInParts, while nobody else uses the connection. */
  inParts<T>(body: () => Parts<T>, flush: () => Promise<void>): Parts<T>;
  /** Store.tryInParts, likewise. */
  tried<T>(body: () => Parts<T>): Parts<T>;
  /** Store.toDisk. */
  toDisk(): void;
}

/** Whoever keeps in memory what is in the database. */
interface Keeper {
  begun(what: RolledBack): void;
  rolledBack(what: RolledBack): void;
}

/** After fewer rows a COMMIT has little to bring to the disk. */
const MANY_ROWS = 1_000;

/**
 * Commits, one at a time. Rows, log, revision and sums change together or not at all; the revision rises only if a row
 * changed.
 *
 *   begin -> body -> (a row changed: revision + 1) -> prune -> commit
 *         -> an error: rollback, the sums go back step by step, the cached rows are dropped (`kept`), thrown again
 *
 *   begin -> savepoint -> body -> (a row changed: revision + 1) -> release   } for each of several bodies,
 *                      -> an error: the same, back to the savepoint          } then prune -> commit
 */
export function createCommits(db: Connection, settings: StoreSettings, log: ChangeLog, sums: FeedDigests, kept: Keeper): Commits {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const end = db.prepare('COMMIT');
  const mark = db.prepare('SAVEPOINT body');
  const back = db.prepare('ROLLBACK TO body');
  const release = db.prepare('RELEASE body');
  const written = db.prepare<[], number>('SELECT total_changes()').pluck();
  /** Whether the present body changed a row. */
  let changed = false;
  /** Of all bodies of the present transaction. */
  const steps: FeedStep[] = [];
  /** Whether a commit may not be on the disk. */
  let unwritten = false;
  const revision = (): number => settings.head().revision + 1;

  function record(step: FeedStep): void {
    changed = true;
    // No feed sees a difference: nothing to send, and a delta needn't hold it.
    if (step.before.audience === step.after.audience && step.before.hash === step.after.hash) return;
    log.append(revision(), step);
    applyStep(sums, step);
    steps.push(step);
  }

  /** One body, which makes one revision. */
  function run<T>(body: () => T): T {
    changed = false;
    const result = refusePromise(body());
    if (changed) settings.setRevision(revision());
    return result;
  }

  /** After a rollback: what is in memory is as it was when there were `left` steps. */
  function undo(left: number, what: RolledBack): void {
    settings.rolledBack();
    kept.rolledBack(what);
    for (const step of steps.splice(left).reverse()) undoStep(sums, step);
  }

  /** One body of several. Throws what makes all of them fail. */
  function attempt<T>(body: () => T): Outcome<T> {
    const before = steps.length;
    kept.begun('body');
    mark.run();
    try {
      const result = run(body);
      release.run();
      return { result };
    } catch (thrown) {
      // SQLite itself takes back the whole of a transaction where the disk is full.
      if (!db.inTransaction) throw thrown;
      back.run();
      release.run();
      undo(before, 'body');
      return { thrown: runtimeError(thrown, db.name) };
    }
  }

  function transaction<T>(work: () => T): T {
    if (db.inTransaction) throw new MeridianError('internal', 'a commit was begun within a commit');
    steps.length = 0;
    kept.begun('transaction');
    try {
      begin.run();
      const result = work();
      if (steps.length > 0) log.prune(Math.max(PRUNE_MOST, 2 * steps.length));
      end.run();
      return result;
    } catch (thrown) {
      rollback();
      throw runtimeError(thrown, db.name);
    }
  }

  function rollback(): void {
    if (db.inTransaction) db.exec('ROLLBACK');
    undo(0, 'transaction');
  }

  function* inParts<T>(body: () => Parts<T>, flush: () => Promise<void>): Parts<T> {
    if (db.inTransaction) throw new MeridianError('internal', 'a commit was begun within a commit');
    steps.length = 0;
    changed = false;
    kept.begun('transaction');
    let done = false;
    const before = Number(written.get());
    try {
      begin.run();
      const result = yield* body();
      if (changed) settings.setRevision(revision());
      while (steps.length > 0 && log.prune(PRUNE_MOST)) yield;
      if (Number(written.get()) - before > MANY_ROWS) yield flush();
      end.run();
      done = true;
      return result;
    } catch (thrown) {
      throw runtimeError(thrown, db.name);
    } finally {
      if (!done) forgetAll();
    }
  }

  function* tried<T>(body: () => Parts<T>): Parts<T> {
    if (db.inTransaction) throw new MeridianError('internal', 'a commit was begun within a commit');
    steps.length = 0;
    kept.begun('transaction');
    try {
      begin.run();
      return yield* body();
    } catch (thrown) {
      throw runtimeError(thrown, db.name);
    } finally {
      forgetAll();
    }
  }

  /** The rollback of what came in parts: the sums are not taken back step by step, but from the other connection. */
  function forgetAll(): void {
    steps.length = 0;
    rollback();
  }

  /** In WAL mode a commit that waits writes to the disk all that is before it in the log. */
  function durably<T>(work: () => T): T {
    const result = transaction(work);
    unwritten = false;
    return result;
  }

  function later<T>(work: () => T): T {
    unwritten = true;
    db.pragma('synchronous = NORMAL');
    try {
      return transaction(work);
    } finally {
      db.pragma('synchronous = FULL');
    }
  }

  return {
    inParts,
    tried,
    commit: (body, durability) => (durability === 'later' ? later : durably)(() => run(body)),
    commitEach: (bodies) => durably(() => bodies.map(attempt)),
    toDisk() {
      if (unwritten) durably(() => settings.setWritten(settings.head().revision));
    },
    record,
    revision,
  };
}

/** An async body would write outside of the transaction after its first `await`. */
function refusePromise<T>(result: T): T {
  if (result instanceof Promise) throw new MeridianError('internal', 'the body of a commit must be synchronous');
  return result;
}
