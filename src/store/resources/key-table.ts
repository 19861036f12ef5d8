import { type Key, keyFromTuple, keyId, keyTuple } from '../../resource/key.ts';
import type { Connection } from '../connection.ts';
import type { ZoneUsage } from '../mirror/zone-usage.ts';

/**
 * The numbers of keys: one for each key that was ever seen, for good. Everything in the database refers to keys by
 * them.
 */
export interface KeyTable {
  /** Its number; gives it one if it has none. */
  number(key: Key): number;
  find(key: Key): number | undefined;
  /** A commit was rolled back, or keys were forgotten. */
  forget(): void;
}

type KeyParts = [type: string, mesh: string, zone: string, namespace: string, name: string];

/** About 10 MB. */
const REMEMBERED = 50_000;

/** A number is remembered, for a key keeps it; that a key has none too, until it gets one. */
export function createKeys(db: Connection, holdings: ZoneUsage): KeyTable {
  const select = db
    .prepare<KeyParts, number>('SELECT id FROM keys WHERE type = ? AND mesh = ? AND zone = ? AND namespace = ? AND name = ?')
    .pluck();
  const insert = db.prepare<KeyParts>('INSERT INTO keys (type, mesh, zone, namespace, name) VALUES (?, ?, ?, ?, ?)');
  const known = new Map<string, number>();
  function keep(id: string, number: number): number {
    if (known.size >= REMEMBERED) known.clear();
    known.set(id, number);
    return number;
  }
  function find(key: Key): number | undefined {
    const id = keyId(key);
    const number = known.get(id) ?? keep(id, select.get(key.type, key.mesh, key.zone, key.namespace, key.name) ?? NO_KEY);
    return number === NO_KEY ? undefined : number;
  }
  function add(key: Key): number {
    holdings.add(key.zone, { keys: 1 });
    return keep(keyId(key), Number(insert.run(key.type, key.mesh, key.zone, key.namespace, key.name).lastInsertRowid));
  }
  return {
    find,
    number: (key) => find(key) ?? add(key),
    forget: () => known.clear(),
  };
}

/** The columns of a key, for a query that joins `keys` as k; to order by them is key order. */
export const KEY_COLUMNS = 'k.type, k.mesh, k.zone, k.namespace, k.name';

/** A number that no key has. */
export const NO_KEY = 0;

/** What every key comes behind. */
export const BEFORE_ALL: Key = { type: '', mesh: '', zone: '', namespace: '', name: '' };

/** The key alone of a row that has the columns of one. */
export function keyOf(columns: Key): Key {
  return keyFromTuple(keyTuple(columns));
}

/**
 * Iterates over rows by number. The numbers are read first, and each row when it is reached. Commits may come in
 * between: deleted rows are left out, and changed rows are as they are then.
 */
export function* eachOf<T>(numbers: readonly number[], read: (number: number) => T | undefined): IterableIterator<T> {
  for (const number of numbers) {
    const row = read(number);
    if (row !== undefined) yield row;
  }
}
