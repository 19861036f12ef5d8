import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { MeridianError } from '../errors.ts';
import { createPrivate, makePrivate } from './database.ts';

/**
 * Locks the folder of the database at `path` for this process, and returns what frees it. Throws `conflict` if it is
 * locked. The lock is SQLite's on an empty file beside the database: the operating system frees it when the process
 * dies, however it does; and the database itself stays open to readers.
 */
export function lockFolder(path: string): () => void {
  const folder = dirname(path);
  const file = join(folder, 'meridian.lock');
  createPrivate(file);
  const lock = new Database(file, { timeout: 0 });
  try {
    lock.pragma('locking_mode = EXCLUSIVE');
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
    makePrivate(file);
    return () => lock.close();
  } catch (thrown) {
    lock.close();
    throw isBusy(thrown) ? inUse(folder) : thrown;
  }
}

function isBusy(thrown: unknown): boolean {
  return thrown instanceof Database.SqliteError && thrown.code.startsWith('SQLITE_BUSY');
}

function inUse(folder: string): MeridianError {
  return new MeridianError('conflict', `the data directory ${folder} is in use by another process`, {
    hint: 'Stop the other control plane, or give this one a data directory of its own.',
  });
}
