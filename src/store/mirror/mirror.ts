import { type Key, keyFromTuple, type KeyTuple, keyTuple } from '../../resource/key.ts';
import type { MirrorItem, MirrorWriter, Refusal } from '../../resource/store/store.ts';
import { requireCommit } from '../database.ts';
import type { Connection } from '../connection.ts';
import type { ZoneUsage } from './zone-usage.ts';
import { BEFORE_ALL, eachOf, KEY_COLUMNS, type KeyTable, keyOf, NO_KEY } from '../resources/key-table.ts';
import type { createPositions } from './peer-positions.ts';
import { checksumOf } from '../row-checksums.ts';
import type { RefusalSums } from './refusal-sums.ts';
import { createStaging } from './staged-items.ts';

interface RefusalColumns extends Key {
  readonly refused_hash: string | null;
  readonly refused_reason: string;
  readonly refused_since: string;
  readonly in_force: Refusal['inForce'];
}

/** As an array, as in src/store/resources/row-columns.ts. */
type ItemArray = readonly [
  ...KeyTuple,
  ...[hash: string | null, reason: string, since: string, inForce: Refusal['inForce']],
  ...[wire: string, hash: string, term: number],
];

type ReplacedRefusal = Pick<RefusalColumns, 'refused_hash' | 'refused_reason' | 'in_force'> & { readonly bytes: number };

const REFUSAL = `${KEY_COLUMNS}, m.refused_hash, m.refused_reason, m.refused_since, m.in_force`;
const FROM = 'FROM mirror m JOIN keys k ON k.id = m.key WHERE m.peer = ?';

/**
 * What each peer sent, accepted or not (docs/design/sync.md#mirror-and-refusals). None of it is a revision of this
 * store.
 */
export function createMirror(
  db: Connection,
  keys: KeyTable,
  positions: ReturnType<typeof createPositions>,
  holdings: ZoneUsage,
  sums: RefusalSums,
): MirrorWriter {
  const { position, setPosition } = positions;
  return {
    ...createItems(db, keys, holdings, sums),
    position,
    setPosition,
    refusalSum: sums.of,
    refusedByType: sums.byType,
    refusedPeers: sums.peers,
    ...createStaging(db, keys),
  };
}

function createItems(
  db: Connection,
  keys: KeyTable,
  holdings: ZoneUsage,
  sums: RefusalSums,
): Pick<MirrorWriter, 'get' | 'stamp' | 'each' | 'size' | 'refusals' | 'put' | 'delete'> {
  const byNumber = db.prepare<[string, number], ItemArray>(`SELECT ${REFUSAL}, m.wire, m.hash, m.term ${FROM} AND m.key = ?`).raw();
  const stamps = db.prepare<[string, number], [string, number]>('SELECT hash, term FROM mirror WHERE peer = ? AND key = ?').raw();
  // Without the items: thousands of them may be refused, half a megabyte each.
  const refused = db.prepare<[...string[], number], RefusalColumns>(
    `SELECT ${REFUSAL} ${FROM} AND m.refused_hash IS NOT NULL AND (${KEY_COLUMNS}) > (?, ?, ?, ?, ?) ORDER BY ${KEY_COLUMNS} LIMIT ?`,
  );
  const numbers = db
    .prepare<[string], number>(`SELECT k.id FROM mirror m JOIN keys k ON k.id = m.key WHERE m.peer = ? ORDER BY ${KEY_COLUMNS}`)
    .pluck();
  const size = db.prepare<[string], number>('SELECT count(*) FROM mirror WHERE peer = ?').pluck();
  const remove = db.prepare<[string, number]>('DELETE FROM mirror WHERE peer = ? AND key = ?');
  const put = preparePut(db);
  const replaced = db.prepare<[string, number], ReplacedRefusal>(
    'SELECT octet_length(wire) AS bytes, refused_hash, refused_reason, in_force FROM mirror WHERE peer = ? AND key = ?',
  );
  /** Counts what is written in the place of what is there now; undefined: nothing. */
  function count(peer: string, key: Key, number: number, after: MirrorItem | undefined): void {
    const before = holdings.isCounting() || sums.isCounting(peer) ? replaced.get(peer, number) : undefined;
    const bytes = Buffer.byteLength(after?.wire ?? '');
    const mirrored = Number(after !== undefined) - Number(before !== undefined);
    holdings.add(peer, { mirrored, mirroredBytes: bytes - (before?.bytes ?? 0) });
    sums.replace(peer, before && refusedBytes(key, before), after?.refusal && { ...after.refusal, bytes });
  }
  const read = (peer: string, number: number): MirrorItem | undefined => {
    const found = byNumber.get(peer, number);
    return found && itemIn(found);
  };
  return {
    get: (peer, key) => read(peer, keys.find(key) ?? NO_KEY),
    stamp(peer, key) {
      const number = keys.find(key);
      const found = number === undefined ? undefined : stamps.get(peer, number);
      return found && { hash: found[0], term: found[1] };
    },
    *each(peer) {
      yield* eachOf(numbers.all(peer), (number) => read(peer, number));
    },
    size: (peer) => size.get(peer) ?? 0,
    refusals: (peer, after = BEFORE_ALL, most = -1) =>
      refused.all(peer, ...keyTuple(after), most).flatMap((columns) => refusalOf(columns) ?? []),
    put(peer, item) {
      requireCommit(db);
      const number = keys.number(item.key);
      count(peer, item.key, number, item);
      put(peer, number, item);
    },
    delete(peer, key) {
      requireCommit(db);
      const number = keys.find(key) ?? NO_KEY;
      count(peer, key, number, undefined);
      remove.run(peer, number);
    },
  };
}

function refusedBytes(key: Key, { refused_hash, refused_reason, in_force, bytes }: ReplacedRefusal) {
  return refused_hash === null ? undefined : { key, hash: refused_hash, reason: refused_reason, inForce: in_force, bytes };
}

function preparePut(db: Connection): (peer: string, key: number, item: MirrorItem) => void {
  const upsert = db.prepare<(string | number | null)[]>(UPSERT);
  return (peer, key, { hash, term, refusal, wire }) => {
    const {
      hash: refused_hash = null,
      reason: refused_reason = null,
      since: refused_since = null,
      inForce: in_force = null,
    } = refusal ?? {};
    const seal = checksumOf('mirror', { peer, key, hash, term, refused_hash, refused_reason, refused_since, in_force, wire });
    upsert.run(peer, key, hash, term, refused_hash, refused_reason, refused_since, in_force, wire, seal);
  };
}

/** Where there is one it stays in its place, so that no index is written but that of refusals. */
const UPSERT = `
  INSERT INTO mirror VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (peer, key) DO UPDATE SET
    hash = excluded.hash, term = excluded.term, refused_hash = excluded.refused_hash, refused_reason = excluded.refused_reason,
    refused_since = excluded.refused_since, in_force = excluded.in_force, wire = excluded.wire, seal = excluded.seal`;

function itemIn(line: ItemArray): MirrorItem {
  const key = keyFromTuple(line);
  const item = { key, wire: line[9], hash: line[10], term: line[11] };
  if (line[5] === null) return item;
  return { ...item, refusal: { key, hash: line[5], reason: line[6], since: line[7], inForce: line[8] } };
}

function refusalOf(columns: RefusalColumns): Refusal | undefined {
  if (columns.refused_hash === null) return undefined;
  return {
    key: keyOf(columns),
    hash: columns.refused_hash,
    reason: columns.refused_reason,
    since: columns.refused_since,
    inForce: columns.in_force,
  };
}
