import type { Filter, Page } from '../resource/store.ts';
import type { Connection } from './database.ts';
import { type Columns, resourceOf } from './rows.ts';

/** A part of a WHERE, and what its `?` stand for. */
type Condition = readonly [sql: string, ...values: string[]];

const REST_NAME = `CASE namespace WHEN '' THEN name ELSE name || '.' || namespace END`;

/** Every wanted label is among the row's. */
const HAS_LABELS = `NOT EXISTS (
  SELECT 1 FROM json_each(?) AS wanted WHERE NOT EXISTS (
    SELECT 1 FROM json_each(resources.labels) AS label WHERE label.key = wanted.key AND label.value = wanted.value))`;

/**
 * The resources of a kind that match the filter, ordered by mesh, name and namespace: `size` of them after the first
 * `offset`. `total` counts all of them.
 */
export function listResources(db: Connection, filter: Filter, offset: number, size: number): Page {
  const conditions = conditionsOf(filter);
  const where = conditions.map(([sql]) => sql).join(' AND ');
  const values = conditions.flatMap(([, ...rest]) => rest);
  const total =
    db
      .prepare<string[], number>(`SELECT count(*) FROM resources WHERE ${where}`)
      .pluck()
      .get(...values) ?? 0;
  const page = db.prepare<(string | number)[], Columns>(
    `SELECT * FROM resources WHERE ${where} ORDER BY mesh, name, namespace LIMIT ? OFFSET ?`,
  );
  return { items: page.all(...values, size, offset).map(resourceOf), total };
}

function conditionsOf({ type, mesh, nameContains, labels }: Filter): readonly Condition[] {
  const conditions: Condition[] = [['type = ?', type]];
  if (mesh !== undefined) conditions.push(['mesh = ?', mesh]);
  if (nameContains !== undefined) conditions.push([`instr(${REST_NAME}, ?) > 0`, nameContains]);
  if (labels !== undefined) conditions.push([HAS_LABELS, JSON.stringify(labels)]);
  return conditions;
}
