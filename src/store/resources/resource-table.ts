import { MeridianError } from '../../errors.ts';
import { formatKri, type Key } from '../../resource/key.ts';
import { isInsight, KINDS } from '../../resource/kinds.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Reader, Row, Transaction } from '../../resource/store/store.ts';
import { requireCommit } from '../database.ts';
import type { Connection } from '../connection.ts';
import type { Tombstones } from './tombstones.ts';
import type { ZoneUsage } from '../mirror/zone-usage.ts';
import { eachOf, type Keys, NO_KEY } from './key-table.ts';
import { bytesOf, COLUMNS, type Columns, columnsIn, columnsOf, feedState, type RowArray, rowOf, sameColumns } from './row-columns.ts';
import { checksumOfParameters } from '../row-checksums.ts';
import type { FeedStep } from '../feed/feed-digests.ts';

export type ResourceReader = Pick<Reader, 'get' | 'has' | 'byName' | 'each' | 'counts'>;
export type ResourceWriter = Pick<Transaction, 'put' | 'delete'>;

export function createResourceReader(db: Connection, keys: Keys): ResourceReader {
  const has = db.prepare<[number], number>('SELECT 1 FROM resources WHERE key = ?').pluck();
  const { byName, byNumber } = prepareLines(db);
  const numbers = db
    .prepare<[string], number>(
      `SELECT k.id FROM keys k CROSS JOIN resources r ON r.key = k.id
       WHERE k.type = ? ORDER BY k.mesh, k.zone, k.namespace, k.name`,
    )
    .pluck();
  const read = (found: Columns | undefined): Row | undefined => found && rowOf(found);
  return {
    get: (key) => read(byNumber(keys.find(key) ?? NO_KEY)),
    has: (key) => has.get(keys.find(key) ?? NO_KEY) !== undefined,
    byName: (...name) => read(byName(...name)),
    *each(type) {
      yield* eachOf(numbers.all(type), (number) => read(byNumber(number)));
    },
    counts: createCounts(db),
  };
}

type Name = [type: string, mesh: string, namespace: string, name: string];

function prepareLines(db: Connection) {
  const ofName = db
    .prepare<Name, RowArray>(`SELECT ${COLUMNS} FROM resources WHERE type = ? AND mesh = ? AND namespace = ? AND name = ?`)
    .raw();
  const ofNumber = db.prepare<[number], RowArray>(`SELECT ${COLUMNS} FROM resources WHERE key = ?`).raw();
  const read = (line: RowArray | undefined): Columns | undefined => line && columnsIn(line);
  return { byName: (...name: Name) => read(ofName.get(...name)), byNumber: (number: number) => read(ofNumber.get(number)) };
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
  keys: Keys,
  recorder: Recorder,
  gone: Tombstones,
  holdings: ZoneUsage,
): ResourceWriter {
  const { byName, byNumber } = prepareLines(db);
  const upsert = db.prepare<[Columns]>(UPSERT);
  const remove = db.prepare<[number]>('DELETE FROM resources WHERE key = ?');
  const forget = db.prepare<[number]>('DELETE FROM refs WHERE policy = ?');

  function refuseTaken({ key, name, namespace }: Resource): void {
    const holder = byName(key.type, key.mesh, namespace, name);
    if (holder) throw taken(key, name, rowOf(holder).resource.key);
  }

  return {
    put(resource, audience, wire) {
      requireCommit(db);
      const number = keys.number(resource.key);
      const old = byNumber(number);
      const next = columnsOf(number, resource, audience, wire, recorder.revision());
      if (old && sameColumns(old, next)) return 'unchanged';
      if (old?.name !== next.name || old.namespace !== next.namespace) refuseTaken(resource);
      upsert.run(next);
      if (!old) gone.forget(number);
      holdings.add(next.zone, { resources: old ? 0 : 1, bytes: bytesOf(next) - (old ? bytesOf(old) : 0) });
      recorder.record({ key: number, zone: next.zone, before: feedState(old), after: feedState(next) });
      return old ? 'changed' : 'created';
    },
    delete(key) {
      requireCommit(db);
      const number = keys.find(key);
      const old = number === undefined ? undefined : byNumber(number);
      if (!old) return false;
      remove.run(old.key);
      holdings.add(old.zone, { resources: -1, bytes: -bytesOf(old) });
      forget.run(old.key);
      gone.add(old, recorder.revision());
      recorder.record({ key: old.key, zone: old.zone, before: feedState(old), after: feedState(undefined) });
      return true;
    },
  };
}

/** The creation time of an existing row stays. */
const UPSERT = `
  INSERT INTO resources VALUES (
    @key, @type, @mesh, @zone, @origin_namespace, @display_name, @name, @namespace, @created, @modified, @revision,
    @audience, @hash, @labels, @spec, @status, @wire, ${checksumOfParameters('resources')}
  ) ON CONFLICT (key) DO UPDATE SET
    name = excluded.name, namespace = excluded.namespace, modified = excluded.modified, revision = excluded.revision,
    audience = excluded.audience, hash = excluded.hash, labels = excluded.labels, spec = excluded.spec,
    status = excluded.status, wire = excluded.wire, seal = excluded.seal`;

function taken(key: Key, name: string, holder: Key): MeridianError {
  const other = formatKri(holder) || `the one of ${holder.zone === '' ? 'global' : `zone ${holder.zone}`}`;
  return new MeridianError('conflict', `the ${key.type} name ${name} is taken by ${other}`, {
    hint: 'Two resources of one kind, mesh and namespace need two names.',
  });
}
