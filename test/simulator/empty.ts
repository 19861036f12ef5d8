import { openDatabase } from '../../src/store/database.ts';
import type { Connection } from '../../src/store/connection.ts';
import { createStore, type SqliteStore, type StoreOptions } from '../../src/store/open-store.ts';

/**
 * Empty volumes, thousands of them: the tables and the statements of a database that is not used any more are taken
 * again, its rows deleted, for to make them takes longer than much of a run.
 */
const unused: Connection[] = [];

export function openEmpty(options: StoreOptions): SqliteStore {
  const db = unused.pop() ?? withStatements(openDatabase(':memory:'));
  // A store closes its database; this one is kept.
  return { ...createStore(db, options, () => {}), close: () => void unused.push(emptied(db)) };
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
