import { MeridianError } from '../../errors.ts';
import { formatKri, type Key } from '../../resource/key.ts';
import { isInsight, KINDS } from '../../resource/kinds.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Reader, Row, Transaction } from '../../resource/store/store.ts';
import { requireCommit } from '../database.ts';
import type { Connection } from '../connection.ts';
import type { Tombstones } from './tombstones.ts';
import type { ZoneUsage } from '../mirror/zone-usage.ts';
import { eachOf, type KeyTable, NO_KEY } from './key-table.ts';
import {
  bytesOf,
  COLUMNS,
  type ResourceColumns,
  columnsIn,
  columnsOf,
  feedState,
  OLD_COLUMNS,
  type OldColumns,
  type OldRow,
  oldIn,
  type RowArray,
  rowOf,
  sameColumns,
} from './row-columns.ts';
import { checksumOf } from '../row-checksums.ts';
import type { FeedStep } from '../feed/feed-digests.ts';

export type ResourceReader = Pick<Reader, 'get' | 'has' | 'nameOf' | 'byName' | 'each' | 'counts'>;
export type ResourceWriter = Pick<Transaction, 'put' | 'delete'>;

export function createResourceReader(db: Connection, keys: KeyTable): ResourceReader {
  const has = db.prepare<[number], number>('SELECT 1 FROM resources WHERE key = ?').pluck();
  const nameOf = db.prepare<[number], string>('SELECT name FROM resources WHERE key = ?').pluck();
  const { byName, byNumber } = prepareLines(db);
  const numbers = db
    .prepare<[string], number>(
      `SELECT k.id FROM keys k CROSS JOIN resources r ON r.key = k.id
       WHERE k.type = ? ORDER BY k.mesh, k.zone, k.namespace, k.name`,
    )
    .pluck();
  const read = (found: ResourceColumns | undefined): Row | undefined => found && rowOf(found);
  return {
    get: (key) => read(byNumber(keys.find(key) ?? NO_KEY)),
    has: (key) => has.get(keys.find(key) ?? NO_KEY) !== undefined,
    nameOf: (key) => nameOf.get(keys.find(key) ?? NO_KEY),
    byName: (...name) => read(byName(...name)),
    *each(type) {
      yield* eachOf(numbers.all(type), (number) => read(byNumber(number)));
    },
    counts: createCounts(db),
  };
}

type NameColumns = [type: string, mesh: string, namespace: string, name: string];

function prepareLines(db: Connection) {
  const ofName = db
    .prepare<NameColumns, RowArray>(`SELECT ${COLUMNS} FROM resources WHERE type = ? AND mesh = ? AND namespace = ? AND name = ?`)
    .raw();
  const ofNumber = db.prepare<[number], RowArray>(`SELECT ${COLUMNS} FROM resources WHERE key = ?`).raw();
  const read = (line: RowArray | undefined): ResourceColumns | undefined => line && columnsIn(line);
  return { byName: (...name: NameColumns) => read(ofName.get(...name)), byNumber: (number: number) => read(ofNumber.get(number)) };
}

const INSIGHTS = new Set(KINDS.filter(isInsight).map((kind) => kind.type));

function createCounts(db: Connection): ResourceReader['counts'] {
  const counts = db.prepare<[], { type: string; mesh: string; count: number }>(
    'SELECT type, mesh, count(*) AS count FROM resources GROUP BY type, mesh ORDER BY type, mesh',
  );
  return () => counts.all().filter(({ type }) => !INSIGHTS.has(type));
}

/** These are told of every change of a row, in the same transaction. */
export interface Recorder {
  /** The revision that the commit will have. */
  revision(): number;
  record(step: FeedStep): void;
}

export function createResourceWriter(
  db: Connection,
  keys: KeyTable,
  recorder: Recorder,
  gone: Tombstones,
  holdings: ZoneUsage,
): ResourceWriter {
  const { byName } = prepareLines(db);
  const oldOf = db.prepare<[number], OldRow>(`SELECT ${OLD_COLUMNS} FROM resources WHERE key = ?`).raw();
  const wireOf = db.prepare<[number], string>('SELECT wire FROM resources WHERE key = ?').pluck();
  const write = prepareWrite(db);
  const remove = db.prepare<[number]>('DELETE FROM resources WHERE key = ?');
  const forget = db.prepare<[number]>('DELETE FROM refs WHERE policy = ?');

  const read = (number: number): OldColumns | undefined => {
    const line = oldOf.get(number);
    return line && oldIn(line);
  };

  /** The table itself refuses a name that is taken; this says by whom. */
  function put(old: OldColumns | undefined, next: ResourceColumns, { key, name, namespace }: Resource): void {
    try {
      write(old, next);
    } catch (thrown) {
      const holder = isUnique(thrown) ? byName(key.type, key.mesh, namespace, name) : undefined;
      throw holder ? taken(key, name, rowOf(holder).resource.key) : thrown;
    }
  }

  return {
    put(resource, audience, wire) {
      requireCommit(db);
      const number = keys.number(resource.key);
      const old = read(number);
      const next = columnsOf(number, resource, audience, wire, recorder.revision());
      if (old && sameColumns(old, next, () => wireOf.get(number) ?? '')) return 'unchanged';
      put(old, next, resource);
      if (!old) gone.forget(number);
      holdings.add(next.zone, { resources: old ? 0 : 1, bytes: bytesOf(next) - (old ? bytesOf(old) : 0) });
      recorder.record({ key: number, zone: next.zone, before: feedState(old), after: feedState(next) });
      return old ? 'changed' : 'created';
    },
    delete(key) {
      requireCommit(db);
      const number = keys.find(key);
      const old = number === undefined ? undefined : read(number);
      if (number === undefined || !old) return false;
      remove.run(number);
      holdings.add(key.zone, { resources: -1, bytes: -bytesOf(old) });
      forget.run(number);
      gone.add({ ...old, key: number }, recorder.revision());
      recorder.record({ key: number, zone: key.zone, before: feedState(old), after: feedState(undefined) });
      return true;
    },
  };
}

type SqlValue = string | number | null;

/**
 * Writes a line. The creation time of an existing one stays. Parameters go by their place: by name each takes longer.
 * The name is written only where it changes: with it SQLite writes its index.
 */
function prepareWrite(db: Connection): (old: OldColumns | undefined, next: ResourceColumns) => void {
  const insert = db.prepare<SqlValue[]>(`INSERT INTO resources VALUES (${'?, '.repeat(17)}?)`);
  const rename = db.prepare<SqlValue[]>('UPDATE resources SET name = ?, namespace = ? WHERE key = ?');
  const update = db.prepare<SqlValue[]>(
    `UPDATE resources SET modified = ?, revision = ?, audience = ?, hash = ?, labels = ?, spec = ?, status = ?, wire = ?, seal = ?
     WHERE key = ?`,
  );
  return (old, next) => {
    const { key, name, namespace, modified, revision, audience, hash, labels, spec, status, wire } = next;
    const seal = checksumOf('resources', next);
    if (!old) {
      const { type, mesh, zone, origin_namespace, display_name, created } = next;
      insert.run(
        ...[key, type, mesh, zone, origin_namespace, display_name, name, namespace, created],
        ...[modified, revision, audience, hash, labels, spec, status, wire, seal],
      );
      return;
    }
    if (old.name !== name || old.namespace !== namespace) rename.run(name, namespace, key);
    update.run(modified, revision, audience, hash, labels, spec, status, wire, seal, key);
  };
}

function isUnique(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'SQLITE_CONSTRAINT_UNIQUE';
}

function taken(key: Key, name: string, holder: Key): MeridianError {
  const other = formatKri(holder) || `the one of ${holder.zone === '' ? 'global' : `zone ${holder.zone}`}`;
  return new MeridianError('conflict', `the ${key.type} name ${name} is taken by ${other}`, {
    hint: 'Two resources of one kind, mesh and namespace need two names.',
  });
}
