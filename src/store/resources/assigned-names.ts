import { MeridianError } from '../../errors.ts';
import { formatKri, type Key, keyFromTuple, type KeyTuple, sameKey } from '../../resource/key.ts';
import type { Reader, Transaction } from '../../resource/store/store.ts';
import { requireCommit } from '../database.ts';
import type { Connection } from '../connection.ts';
import type { ZoneUsage } from '../mirror/zone-usage.ts';
import { KEY_COLUMNS, type KeyTable } from './key-table.ts';

export type NameTable = Pick<Reader, 'assignedName' | 'nameHolder'> & Pick<Transaction, 'assignName'>;

/**
 * The names of copies, as global assigned them: for good, one for a key and one key for a name, whether or not the
 * resource still exists (docs/design/names.md#collisions). Assigning what is assigned does nothing; anything else is a
 * `conflict`.
 */
export function createNames(db: Connection, keys: KeyTable, holdings: ZoneUsage): NameTable {
  const nameOf = db.prepare<[number], string>('SELECT name FROM names WHERE key = ?').pluck();
  const holder = db
    .prepare<[string, string], KeyTuple>(`SELECT ${KEY_COLUMNS} FROM names n JOIN keys k ON k.id = n.key WHERE n.type = ? AND n.name = ?`)
    .raw();
  const insert = db.prepare<[string, string, number]>('INSERT INTO names VALUES (?, ?, ?) ON CONFLICT DO NOTHING');

  function assignedName(key: Key): string | undefined {
    const number = keys.find(key);
    return number === undefined ? undefined : nameOf.get(number);
  }
  function nameHolder(type: string, name: string): Key | undefined {
    const found = holder.get(type, name);
    return found && keyFromTuple(found);
  }

  return {
    assignedName,
    nameHolder,
    assignName(key, name) {
      requireCommit(db);
      if (insert.run(key.type, name, keys.number(key)).changes > 0) return holdings.add(key.zone, { names: 1 });
      const [assigned, other] = [assignedName(key), nameHolder(key.type, name)];
      if (assigned !== undefined && assigned !== name) throw conflict(key, `its name is ${assigned} for good, it can't become ${name}`);
      if (other && !sameKey(other, key)) throw conflict(key, `the name ${name} belongs to ${formatKri(other)} for good`);
    },
  };
}

function conflict(key: Key, reason: string): MeridianError {
  return new MeridianError('conflict', `${formatKri(key)}: ${reason}`);
}
