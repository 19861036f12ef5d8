import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Scope } from '../harness/scope.ts';

/**
 * What SQLite's integrity_check says of the store that a dead process left: of a copy, so that the daemon itself has to
 * recover the original.
 */
export function integrityOf(scope: Scope, dataDir: string): string {
  const folder = scope.folder();
  for (const file of ['meridian.db', 'meridian.db-wal']) {
    if (existsSync(join(dataDir, file))) copyFileSync(join(dataDir, file), join(folder, file));
  }
  const db = new Database(join(folder, 'meridian.db'));
  const found = String(db.pragma('integrity_check', { simple: true }));
  db.close();
  return found;
}
