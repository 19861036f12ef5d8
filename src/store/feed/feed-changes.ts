import { keyFromTuple, type KeyTuple } from '../../resource/key.ts';
import type { FeedReader } from '../../resource/store/store.ts';
import { fillBatch } from '../fill-batch.ts';
import type { Connection } from '../connection.ts';
import { KEY_COLUMNS } from '../resources/key-table.ts';
import type { ChangeLog } from './change-log.ts';

/** `includes` of src/resource/audience.ts in SQL, for an audience column and the key's origin zone. */
export function isIncluded(audience: string, zone: string): string {
  return `(${audience} <> '' AND ${audience} IN ('*', @peer) AND ${zone} <> @peer)`;
}

/** How many entries of the log one page looks at: nearly all of them may be for others. */
export const LOOKED_AT = 2_000;

/**
 * The last entry of each key from @first on, of those from @from to @to. A key that is in the feed now is a put. A key
 * that is not, but was at any time since, is a delete. Keys that came and went since count too: an earlier page, or a
 * scan, may have sent them.
 *
 *   at revision   since             now
 *   in            -                 in      put
 *   in            -                 out     delete
 *   out           in for a while    out     delete
 *   out           never in          out     nothing
 */
const CHANGES = `
  SELECT type, mesh, zone, namespace, name, wire, seq FROM (
    SELECT l.seq, l.key AS number, ${KEY_COLUMNS},
      CASE WHEN ${isIncluded('r.audience', 'k.zone')} THEN r.wire ELSE '' END AS wire
    FROM log l JOIN keys k ON k.id = l.key LEFT JOIN resources r ON r.key = l.key
    WHERE l.seq BETWEEN @from AND @to
      AND NOT EXISTS (SELECT 1 FROM log later WHERE later.key = l.key AND later.seq > l.seq)
  ) AS last
  WHERE wire <> '' OR EXISTS (
    SELECT 1 FROM log since
    WHERE since.key = last.number AND since.seq >= @first AND ${isIncluded('since.audience_before', 'last.zone')})
  ORDER BY seq`;

type ChangeArray = readonly [...KeyTuple, wire: string, seq: number];

/** FeedReader.changes, for a revision that the log reaches back to. */
export function createChanges(db: Connection, log: ChangeLog): FeedReader['changes'] {
  const select = db.prepare<[{ peer: string; first: number; from: number; to: number }], ChangeArray>(CHANGES).raw();
  const newest = db.prepare<[], number | null>('SELECT max(seq) FROM log').pluck();
  function* rows(peer: string, first: number, from: number, to: number) {
    for (const line of select.iterate({ peer, first, from, to })) yield { key: keyFromTuple(line), wire: line[5], seq: line[6] };
  }
  return (peer, revision, after, maxBytes) => {
    const first = log.start(revision);
    if (first === undefined) return { changes: [], next: undefined };
    const from = Math.max(first, after + 1);
    // The log has no gaps.
    const to = from + LOOKED_AT - 1;
    const { taken, more } = fillBatch(rows(peer, first, from, to), maxBytes);
    const left = to < (newest.get() ?? 0) ? to : undefined;
    return { changes: taken.map(({ key, wire }) => ({ key, wire })), next: more ? taken.at(-1)?.seq : left };
  };
}
