import { keyFromTuple, type KeyTuple } from '../../resource/key.ts';
import type { Reader, Transaction } from '../../resource/store/store.ts';
import { requireCommit } from '../database.ts';
import type { Connection } from '../connection.ts';
import { KEY_COLUMNS, type KeyTable } from './key-table.ts';

export type References = Pick<Reader, 'referrers'> & Pick<Transaction, 'setReferences'>;

/** Which policies refer to which targets. A target need not exist (yet). Deleting a policy removes its references. */
export function createReferences(db: Connection, keys: KeyTable): References {
  const referrers = db
    .prepare<[number], KeyTuple>(
      `SELECT ${KEY_COLUMNS} FROM refs JOIN keys k ON k.id = refs.policy WHERE refs.target = ? ORDER BY ${KEY_COLUMNS}`,
    )
    .raw();
  const targetsOf = db.prepare<[number], number>('SELECT target FROM refs WHERE policy = ?').pluck();
  const clear = db.prepare<[number]>('DELETE FROM refs WHERE policy = ?');
  const insert = db.prepare<[number, number]>('INSERT INTO refs VALUES (?, ?)');
  return {
    referrers(target) {
      const number = keys.find(target);
      return number === undefined ? [] : referrers.all(number).map(keyFromTuple);
    },
    setReferences(key, targets) {
      requireCommit(db);
      const policy = keys.number(key);
      const [before, after] = [new Set(targetsOf.all(policy)), new Set(targets.map((target) => keys.number(target)))];
      if (before.size === after.size && [...before].every((target) => after.has(target))) return;
      clear.run(policy);
      for (const target of after) insert.run(policy, target);
    },
  };
}
