import { type Key, keyTuple } from '../../resource/key.ts';
import type { Reader, Transaction } from '../../resource/store/store.ts';
import { requireCommit } from '../database.ts';
import type { Connection } from '../connection.ts';
import { KEY_COLUMNS, type Keys, keyOf } from './key-table.ts';

export type References = Pick<Reader, 'referrers'> & Pick<Transaction, 'setReferences'>;

/** Which policies refer to which targets. A target need not exist (yet). Deleting a policy removes its references. */
export function createReferences(db: Connection, keys: Keys): References {
  const referrers = db.prepare<string[], Key>(
    `SELECT ${KEY_COLUMNS} FROM keys t JOIN refs ON refs.target = t.id JOIN keys k ON k.id = refs.policy
     WHERE t.type = ? AND t.mesh = ? AND t.zone = ? AND t.namespace = ? AND t.name = ? ORDER BY ${KEY_COLUMNS}`,
  );
  const clear = db.prepare<[number]>('DELETE FROM refs WHERE policy = ?');
  const insert = db.prepare<[number, number]>('INSERT OR IGNORE INTO refs VALUES (?, ?)');
  return {
    referrers: (target) => referrers.all(...keyTuple(target)).map(keyOf),
    setReferences(key, targets) {
      requireCommit(db);
      const policy = keys.number(key);
      clear.run(policy);
      for (const target of targets) insert.run(policy, keys.number(target));
    },
  };
}
