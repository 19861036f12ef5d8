import { keyFromTuple, type KeyTuple } from '../../resource/key.ts';
import type { MirrorWriter } from '../../resource/store/store.ts';
import { requireCommit } from '../database.ts';
import type { Connection } from '../connection.ts';
import { eachOf, KEY_COLUMNS, type KeyTable } from '../resources/key-table.ts';

export type Staging = Pick<MirrorWriter, 'staged' | 'hasStaged' | 'stage' | 'clearStage'>;

/** The parts of transfers that are not complete yet. They don't outlive the process: a transfer begins again. */
export function createStaging(db: Connection, keys: KeyTable): Staging {
  const upsert = db.prepare<[string, number, string]>('INSERT INTO staged VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET wire = excluded.wire');
  const clear = db.prepare<[string]>('DELETE FROM staged WHERE peer = ?');
  const numbers = db
    .prepare<[string], number>(`SELECT k.id FROM staged s JOIN keys k ON k.id = s.key WHERE s.peer = ? ORDER BY ${KEY_COLUMNS}`)
    .pluck();
  const read = db
    .prepare<[string, number], readonly [...KeyTuple, wire: string]>(
      `SELECT ${KEY_COLUMNS}, s.wire FROM staged s JOIN keys k ON k.id = s.key WHERE s.peer = ? AND s.key = ?`,
    )
    .raw();
  const any = db.prepare<[string], number>('SELECT 1 FROM staged WHERE peer = ? LIMIT 1').pluck();
  return {
    hasStaged: (peer) => any.get(peer) !== undefined,
    *staged(peer) {
      for (const part of eachOf(numbers.all(peer), (number) => read.get(peer, number))) {
        yield { key: keyFromTuple(part), wire: part[5] };
      }
    },
    stage(peer, parts) {
      requireCommit(db);
      for (const { key, wire } of parts) upsert.run(peer, keys.number(key), wire);
    },
    clearStage(peer) {
      requireCommit(db);
      clear.run(peer);
    },
  };
}

/** Forgets all transfers that a former process had under way. */
export function clearStaging(db: Connection): void {
  db.exec('DELETE FROM staged');
}
