import { type Key, keyTuple } from '../../resource/key.ts';
import type { MirrorItem, MirrorWriter, Refusal } from '../../resource/store/store.ts';
import { requireCommit } from '../database.ts';
import type { Connection } from '../connection.ts';
import type { ZoneUsage } from './zone-usage.ts';
import { BEFORE_ALL, eachOf, KEY_COLUMNS, type Keys, keyOf, NO_KEY } from '../resources/key-table.ts';
import type { createPositions } from './peer-positions.ts';
import { checksumOfParameters } from '../row-checksums.ts';
import { createStaging } from './staged-items.ts';

interface RefusalColumns extends Key {
  readonly refused_hash: string | null;
  readonly refused_reason: string;
  readonly refused_since: string;
  readonly in_force: Refusal['inForce'];
}

interface ItemColumns extends RefusalColumns {
  readonly wire: string;
  readonly hash: string;
  readonly term: number;
}

const REFUSAL = `${KEY_COLUMNS}, m.refused_hash, m.refused_reason, m.refused_since, m.in_force`;
const FROM = 'FROM mirror m JOIN keys k ON k.id = m.key WHERE m.peer = ?';

/**
 * What each peer sent, accepted or not (docs/design/sync.md#mirror-and-refusals). None of it is a revision of this
 * store.
 */
export function createMirror(
  db: Connection,
  keys: Keys,
  positions: ReturnType<typeof createPositions>,
  holdings: ZoneUsage,
  changes: Map<string, number>,
): MirrorWriter {
  const { position, setPosition } = positions;
  return { ...createItems(db, keys, holdings, changes), position, setPosition, ...createStaging(db, keys) };
}

function createItems(
  db: Connection,
  keys: Keys,
  holdings: ZoneUsage,
  changes: Map<string, number>,
): Pick<MirrorWriter, 'get' | 'each' | 'changes' | 'refusals' | 'put' | 'delete'> {
  const byNumber = db.prepare<[string, number], ItemColumns>(`SELECT ${REFUSAL}, m.wire, m.hash, m.term ${FROM} AND m.key = ?`);
  // Without the items: thousands of them may be refused, half a megabyte each.
  const refused = db.prepare<string[], RefusalColumns>(
    `SELECT ${REFUSAL} ${FROM} AND m.refused_hash IS NOT NULL AND (${KEY_COLUMNS}) > (?, ?, ?, ?, ?) ORDER BY ${KEY_COLUMNS}`,
  );
  const numbers = db
    .prepare<[string], number>(`SELECT k.id FROM mirror m JOIN keys k ON k.id = m.key WHERE m.peer = ? ORDER BY ${KEY_COLUMNS}`)
    .pluck();
  const remove = db.prepare<[string, number]>('DELETE FROM mirror WHERE peer = ? AND key = ?');
  const put = preparePut(db);
  const size = db.prepare<[string, number], number>('SELECT octet_length(wire) FROM mirror WHERE peer = ? AND key = ?').pluck();
  const changesOf = (peer: string) => changes.get(peer) ?? 0;
  /** Counts what is written in the place of what is there now; undefined: nothing. */
  function count(peer: string, key: number, wire: string | undefined): void {
    changes.set(peer, changesOf(peer) + 1);
    if (!holdings.isCounting()) return;
    const before = size.get(peer, key);
    const mirrored = Number(wire !== undefined) - Number(before !== undefined);
    holdings.add(peer, { mirrored, mirroredBytes: Buffer.byteLength(wire ?? '') - (before ?? 0) });
  }
  const read = (peer: string, number: number): MirrorItem | undefined => {
    const found = byNumber.get(peer, number);
    return found && itemOf(found);
  };
  return {
    get: (peer, key) => read(peer, keys.find(key) ?? NO_KEY),
    *each(peer) {
      yield* eachOf(numbers.all(peer), (number) => read(peer, number));
    },
    changes: changesOf,
    refusals: (peer, after = BEFORE_ALL) => refused.all(peer, ...keyTuple(after)).flatMap((columns) => refusalOf(columns) ?? []),
    put(peer, item) {
      requireCommit(db);
      const number = keys.number(item.key);
      count(peer, number, item.wire);
      put(peer, number, item);
    },
    delete(peer, key) {
      requireCommit(db);
      const number = keys.find(key) ?? NO_KEY;
      count(peer, number, undefined);
      remove.run(peer, number);
    },
  };
}

function preparePut(db: Connection): (peer: string, key: number, item: MirrorItem) => void {
  const replace = db.prepare<[Readonly<Record<string, string | number | null>>]>(REPLACE);
  return (peer, key, { hash, term, refusal, wire }) => {
    const refused = refusal
      ? { refused_hash: refusal.hash, refused_reason: refusal.reason, refused_since: refusal.since, in_force: refusal.inForce }
      : { refused_hash: null, refused_reason: null, refused_since: null, in_force: null };
    replace.run({ peer, key, hash, term, wire, ...refused });
  };
}

const REPLACE = `
  INSERT OR REPLACE INTO mirror VALUES (
    @peer, @key, @hash, @term, @refused_hash, @refused_reason, @refused_since, @in_force, @wire, ${checksumOfParameters('mirror')}
  )`;

function itemOf(columns: ItemColumns): MirrorItem {
  const { wire, hash, term } = columns;
  const refusal = refusalOf(columns);
  return { key: keyOf(columns), wire, hash, term, ...(refusal ? { refusal } : {}) };
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
