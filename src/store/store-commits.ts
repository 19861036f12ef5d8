import { MeridianError } from '../errors.ts';
import { runtimeError } from './database.ts';
import type { Connection } from './connection.ts';
import type { ChangeLog } from './feed/change-log.ts';
import type { Recorder } from './resources/resource-table.ts';
import type { StoreSettings } from './store-settings.ts';
import { applyStep, type FeedStep, type FeedDigests, undoStep } from './feed/feed-digests.ts';

export interface Commits extends Recorder {
  /** Store.commit. `body` gets nothing: the transaction is put together in open.ts. */
  commit<T>(body: () => T): T;
}

/**
 * Commits, one at a time. Rows, log, revision and sums change together or not at all; the revision rises only if a row
 * changed.
 *
 *   begin -> body -> (a row changed: revision + 1, prune) -> commit
 *         -> an error: rollback, the sums go back step by step, the cached rows are dropped (`forget`), thrown again
 */
export function createCommits(db: Connection, settings: StoreSettings, log: ChangeLog, sums: FeedDigests, forget: () => void): Commits {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const end = db.prepare('COMMIT');
  let changed = false;
  let steps: FeedStep[] = [];
  const revision = (): number => settings.head().revision + 1;

  function record(step: FeedStep): void {
    changed = true;
    // No feed sees a difference: nothing to send, and a delta needn't hold it.
    if (step.before.audience === step.after.audience && step.before.hash === step.after.hash) return;
    log.append(revision(), step);
    applyStep(sums, step);
    steps.push(step);
  }

  function finish(): void {
    if (changed) settings.setRevision(revision());
    if (steps.length > 0) log.prune();
    end.run();
  }

  function rollback(): void {
    if (db.inTransaction) db.exec('ROLLBACK');
    settings.rolledBack();
    forget();
    for (const step of steps.reverse()) undoStep(sums, step);
  }

  function commit<T>(body: () => T): T {
    if (db.inTransaction) throw new MeridianError('internal', 'a commit was begun within a commit');
    changed = false;
    steps = [];
    try {
      begin.run();
      const result = refusePromise(body());
      finish();
      return result;
    } catch (thrown) {
      rollback();
      throw runtimeError(thrown, db.name);
    }
  }

  return { commit, record, revision };
}

/** An async body would write outside of the transaction after its first `await`. */
function refusePromise<T>(result: T): T {
  if (result instanceof Promise) throw new MeridianError('internal', 'the body of a commit must be synchronous');
  return result;
}
