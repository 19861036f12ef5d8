import { MeridianError } from '../../errors.ts';
import { formatKri, type Key, sameKey } from '../../resource/key.ts';
import type { Reader, Transaction } from '../../resource/store/store.ts';
import { requireCommit } from '../database.ts';
import type { Connection } from '../connection.ts';
import type { ZoneUsage } from '../mirror/zone-usage.ts';
import { KEY_COLUMNS, type Keys, keyOf, NO_KEY } from './key-table.ts';

export type AssignedNames = Pick<Reader, 'assignedName' | 'nameHolder'> & Pick<Transaction, 'assignName'>;

/**
 * The names of copies, as global assigned them: for good, one for a key and one key for a name, whether or not the
 * resource still exists (docs/design/names.md#collisions). Assigning what is assigned does nothing; anything else is a
 * `conflict`.
 */
export function createNames(db: Connection, keys: Keys, holdings: ZoneUsage): AssignedNames {
  const nameOf = db.prepare<[number], string>('SELECT name FROM names WHERE key = ?').pluck();
  const holder = db.prepare<[string, string], Key>(
    `SELECT ${KEY_COLUMNS} FROM names n JOIN keys k ON k.id = n.key WHERE n.type = ? AND n.name = ?`,
  );
  const insert = db.prepare<[string, string, number]>('INSERT INTO names VALUES (?, ?, ?)');

  const assignedName = (key: Key): string | undefined => nameOf.get(keys.find(key) ?? NO_KEY);
  function nameHolder(type: string, name: string): Key | undefined {
    const found = holder.get(type, name);
    return found && keyOf(found);
  }

  return {
    assignedName,
    nameHolder,
    assignName(key, name) {
      requireCommit(db);
      const [assigned, other] = [assignedName(key), nameHolder(key.type, name)];
      if (assigned === name) return;
      if (assigned !== undefined) throw conflict(key, `its name is ${assigned} for good, it can't become ${name}`);
      if (other && !sameKey(other, key)) throw conflict(key, `the name ${name} belongs to ${formatKri(other)} for good`);
      insert.run(key.type, name, keys.number(key));
      holdings.add(key.zone, { names: 1 });
    },
  };
}

function conflict(key: Key, reason: string): MeridianError {
  return new MeridianError('conflict', `${formatKri(key)}: ${reason}`);
}
