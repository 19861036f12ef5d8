import { MeridianError } from '../errors.ts';
import type { Head } from '../resource/store/store.ts';
import { SECRET } from '../kds/cursor.ts';
import { requireCommit } from './database.ts';
import type { Connection } from './connection.ts';
import { cacheRows } from './row-cache.ts';

/**
 * Small values kept by name. `store`, `revision`, `written`, `floor` (src/store/feed/change-log.ts) and the secret are
 * the store's own; `term` is raised with an operator's word, by setting it in a commit.
 */
export interface StoreSettings {
  get(name: string): string | undefined;
  /** The names that begin with `prefix`, sorted. */
  namesFrom(prefix: string): readonly string[];
  /** Any setting but the store's own; the term only upwards. */
  set(name: string, value: string): void;
  setRevision(revision: number): void;
  /** Up to here all is on the disk: a note that is made so that something is written there. */
  setWritten(revision: number): void;
  floor(): number;
  setFloor(revision: number): void;
  head(): Head;
  /** A commit was rolled back. */
  rolledBack(): void;
}

const OWN = new Set(['store', 'revision', 'written', 'floor', SECRET]);
/** Characters. Longer ones (what a peer refused) are read by people alone. */
const SMALL = 1024;

export function createSettings(db: Connection): StoreSettings {
  const select = db.prepare<[string], string>('SELECT value FROM settings WHERE name = ?').pluck();
  const values = cacheRows(
    (name) => select.get(name),
    (value) => value.length <= SMALL,
  );
  const names = db
    .prepare<{ prefix: string }, string>('SELECT name FROM settings WHERE substr(name, 1, length(@prefix)) = @prefix ORDER BY name')
    .pluck();
  const upsert = db.prepare<[string, string]>('INSERT INTO settings VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value');
  const number = (name: string): number => Number(values.get(name));
  const write = (name: string, value: string): void => {
    upsert.run(name, value);
    values.put(name, value);
  };
  return {
    get: values.get,
    namesFrom: (prefix) => names.all({ prefix }),
    set(name, value) {
      requireCommit(db);
      if (OWN.has(name)) throw new MeridianError('internal', `the setting ${name} is the store's own`);
      if (name === 'term' && !(Number(value) > number('term'))) {
        throw new MeridianError('internal', `the term ${number('term')} can't become ${value}: it only rises`);
      }
      write(name, value);
    },
    setRevision: (revision) => write('revision', String(revision)),
    setWritten: (revision) => write('written', String(revision)),
    floor: () => number('floor'),
    setFloor: (revision) => write('floor', String(revision)),
    head: () => ({ store: values.get('store') ?? '', term: number('term'), revision: number('revision') }),
    rolledBack: values.forgetAll,
  };
}

/** The settings of a new database. It always writes, so that a read-only volume is found at the start. */
export function initSettings(db: Connection, store: string, secret: string): void {
  const init = db.prepare<[string, string]>('INSERT INTO settings VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value');
  for (const [name, value] of [
    ['store', store],
    [SECRET, secret],
    ['term', '1'],
    ['revision', '0'],
    ['floor', '0'],
  ] as const)
    init.run(name, value);
}
