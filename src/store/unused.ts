import type { Transaction } from '../resource/store.js';
import { type Connection, requireCommit } from './database.js';
import type { Holdings } from './holdings.js';
import type { Keys } from './keys.js';

/** A name may go once nobody can mean it any more: what had it is gone, is not sent either, and nothing refers to it. */
const NAMES = `
  DELETE FROM names WHERE key IN (
    SELECT k.id FROM keys k WHERE k.zone = @zone
      AND NOT EXISTS (SELECT 1 FROM resources r WHERE r.key = k.id) AND NOT EXISTS (SELECT 1 FROM mirror m WHERE m.key = k.id)
      AND NOT EXISTS (SELECT 1 FROM staged s WHERE s.key = k.id) AND NOT EXISTS (SELECT 1 FROM refs WHERE target = k.id))`;

/** A key once nothing is known of it. The last one stays, so that no number is given to another key at once. */
const KEYS = `
  DELETE FROM keys WHERE id IN (
    SELECT k.id FROM keys k WHERE k.zone = @zone AND k.id < (SELECT max(id) FROM keys)
      AND NOT EXISTS (SELECT 1 FROM resources r WHERE r.key = k.id) AND NOT EXISTS (SELECT 1 FROM mirror m WHERE m.key = k.id)
      AND NOT EXISTS (SELECT 1 FROM staged s WHERE s.key = k.id) AND NOT EXISTS (SELECT 1 FROM names n WHERE n.key = k.id)
      AND NOT EXISTS (SELECT 1 FROM log l WHERE l.key = k.id) AND NOT EXISTS (SELECT 1 FROM gone g WHERE g.key = k.id)
      AND NOT EXISTS (SELECT 1 FROM refs WHERE policy = k.id) AND NOT EXISTS (SELECT 1 FROM refs WHERE target = k.id))`;

/** Transaction.forgetUnused. */
export function createForgetUnused(db: Connection, keys: Keys, holdings: Holdings): Transaction['forgetUnused'] {
  const names = db.prepare<[{ zone: string }]>(NAMES);
  const unused = db.prepare<[{ zone: string }]>(KEYS);
  return (zone) => {
    requireCommit(db);
    holdings.add(zone, { names: -names.run({ zone }).changes });
    holdings.add(zone, { keys: -unused.run({ zone }).changes });
    keys.forget();
  };
}
