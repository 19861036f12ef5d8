import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import Database from 'better-sqlite3';
import type { Store } from '../../src/resource/store/store.ts';
import type { Connection } from '../../src/store/connection.ts';
import { openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrations.ts';
import { createStore, openSnapshot, openStore, type SqliteStore, type StoreOptions } from '../../src/store/open-store.ts';
import { commitAtOnce } from '../../src/store/part-commits.ts';

/**
 * The stores of the tests and the benches. Outside of src/store and cmd nothing else imports the store in SQLite
 * (`test/imports.spec.ts`): with another one, this file is what changes.
 */

/** A store that can be saved and restored. */
export type TestStore = SqliteStore;

export const OPTIONS: StoreOptions = { random: () => 'c0ffee' };

/** A store in a file, or in memory. `random`: what its id and its secret are made of. */
export function openTestStore(path = ':memory:', random = OPTIONS.random): TestStore {
  return openStore(path, { random });
}

/** A store in memory that begins as a backup of another one: as what its `snapshot` gave. */
export function restoreTestStore(backup: Buffer, random = OPTIONS.random): TestStore {
  return openSnapshot(backup, { random });
}

export function memory(t: TestContext): TestStore {
  const store = openTestStore();
  t.after(() => store.close());
  return store;
}

/** The path of a database that is not there yet, in a data directory that is not there either. */
export function freshPath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'meridian-store-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'data', 'meridian.db');
}

/** The store with another `commit`, which stands for each way to commit to it. */
export function withCommit<T extends Store>(store: T, commit: Store['commit']): T {
  return { ...store, commit, ...commitAtOnce(commit) };
}

/** A store in memory, and how many statements SQLite has run for it so far. */
export function countedStore(): { readonly store: TestStore; readonly statements: () => number } {
  let count = 0;
  const db = new Database(':memory:', { verbose: () => count++ });
  migrate(db);
  return { store: createStore(db, OPTIONS, () => {}), statements: () => count };
}

/**
 * Empty volumes, thousands of them: the tables and the statements of a database that is not used any more are taken
 * again, its rows deleted, for to make them takes longer than much of a run.
 */
const unused: Connection[] = [];

/** An empty store in memory, for who opens thousands of them. */
export function openReusedStore(random: () => string): TestStore {
  const db = unused.pop() ?? withStatements(openDatabase(':memory:'));
  // A store closes its database; this one is kept.
  return { ...createStore(db, { random }, () => {}), close: () => void unused.push(emptied(db)) };
}

/** Statements are kept by their text. Who reads one does so in one go, so that it can be everybody's. */
function withStatements(db: Connection): Connection {
  const known = new Map<string, ReturnType<Connection['prepare']>>();
  const prepare = db.prepare.bind(db);
  return Object.assign(db, {
    prepare: (text: string) => {
      const statement = known.get(text) ?? prepare(text);
      known.set(text, statement);
      return statement;
    },
  });
}

/** What refers to a table was made after it. */
function emptied(db: Connection): Connection {
  const tables = db.prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid DESC").all();
  for (const { name } of tables) db.prepare(`DELETE FROM ${name}`).run();
  return db;
}
