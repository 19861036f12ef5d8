import { type Key, keyFromTuple, type KeyTuple } from '../../resource/key.ts';
import type { FeedReader } from '../../resource/store/store.ts';
import { fillBatch } from '../fill-batch.ts';
import { isIncluded } from './feed-changes.ts';
import type { Connection } from '../connection.ts';
import { BEFORE_ALL } from '../resources/key-table.ts';

/** The items of one audience, from the index `feed`. */
function ofAudience(audience: string): string {
  return `
    SELECT type, mesh, zone, origin_namespace AS namespace, display_name AS name, wire FROM resources
    WHERE audience = ${audience} AND audience <> '' AND ${isIncluded('audience', 'zone')}
      AND (type, mesh, zone, origin_namespace, display_name) > (@type, @mesh, @zone, @namespace, @name)`;
}

/** SQLite merges the two, which are in key order already: a page costs what is on it. */
const PAGE = `${ofAudience("'*'")} UNION ALL ${ofAudience("nullif(@peer, '*')")} ORDER BY 1, 2, 3, 4, 5`;

/** FeedReader.page. */
export function createPage(db: Connection): FeedReader['page'] {
  const select = db.prepare<[Key & { peer: string }], readonly [...KeyTuple, wire: string]>(PAGE).raw();
  function* rows(peer: string, after: Key) {
    for (const columns of select.iterate({ ...after, peer })) yield { key: keyFromTuple(columns), wire: columns[5] };
  }
  return (peer, after, maxBytes) => {
    const { taken, more } = fillBatch(rows(peer, after ?? BEFORE_ALL), maxBytes);
    return { items: taken, next: more ? taken.at(-1)?.key : undefined };
  };
}
