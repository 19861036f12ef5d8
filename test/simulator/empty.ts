import { openDatabase } from '../../src/store/database.js';
import { openSnapshot, type SqliteStore, type StoreOptions } from '../../src/store/open.js';

/** A database with all its tables and nothing in them, as a new volume gets it: made once, for its migrations take longer than much of a run. */
const EMPTY = openDatabase(':memory:').serialize();

export function openEmpty(options: StoreOptions): SqliteStore {
  return openSnapshot(EMPTY, options);
}
