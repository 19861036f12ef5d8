import type { Transaction } from '../../resource/store/store.ts';
import { requireCommit } from '../database.ts';
import type { Connection } from '../connection.ts';
import type { ZoneUsage } from './zone-usage.ts';
import type { KeyTable } from '../resources/key-table.ts';

/** The next keys of a zone that are looked at. */
const WINDOW = 'SELECT id FROM keys WHERE zone = @zone AND id > @after ORDER BY id LIMIT @most';

/** None of these tables has a row of the key `k`. */
function isInNone(...columns: readonly string[]): string {
  return columns
    .map((column) => {
      const [table] = column.split('.');
      return `NOT EXISTS (SELECT 1 FROM ${table} WHERE ${column} = k.id)`;
    })
    .join(' AND ');
}

/**
 * A name is forgotten once nobody can mean it any more: its resource is gone and no longer sent, and nothing refers to
 * it.
 */
const NAMES = `
  DELETE FROM names WHERE key IN (
    SELECT k.id FROM (${WINDOW}) AS k WHERE ${isInNone('resources.key', 'mirror.key', 'staged.key', 'refs.target')})`;

/**
 * A key is forgotten once nothing uses it. The last one stays, so that its number is not given to another key at once.
 */
const KEYS = `
  DELETE FROM keys WHERE id IN (
    SELECT k.id FROM (${WINDOW}) AS k WHERE k.id < (SELECT max(id) FROM keys)
      AND ${isInNone('resources.key', 'mirror.key', 'staged.key', 'names.key', 'log.key', 'gone.key', 'refs.policy', 'refs.target')})`;

/** Transaction.forgetUnused. */
export function createForgetUnused(db: Connection, keys: KeyTable, holdings: ZoneUsage): Transaction['forgetUnused'] {
  const last = db.prepare<[CollectParameters], number | null>(`SELECT max(id) FROM (${WINDOW})`).pluck();
  const names = db.prepare<[CollectParameters]>(NAMES);
  const unused = db.prepare<[CollectParameters]>(KEYS);
  return (zone, after, most) => {
    requireCommit(db);
    const asked = { zone, after, most };
    const next = last.get(asked) ?? 0;
    holdings.add(zone, { names: -names.run(asked).changes });
    holdings.add(zone, { keys: -unused.run(asked).changes });
    keys.forget();
    return next;
  };
}

interface CollectParameters {
  readonly zone: string;
  readonly after: number;
  readonly most: number;
}
