import type { Filter, ListPage } from '../../resource/store/store.ts';
import type { Connection } from '../connection.ts';
import { type ResourceColumns, resourceOf } from './row-columns.ts';

/** A part of a WHERE, and what its `?` stand for. */
type SqlCondition = readonly [sql: string, ...values: string[]];

const REST_NAME = `CASE namespace WHEN '' THEN name ELSE name || '.' || namespace END`;

/** Every wanted label is among the row's. */
const HAS_LABELS = `NOT EXISTS (
  SELECT 1 FROM json_each(?) AS wanted WHERE NOT EXISTS (
    SELECT 1 FROM json_each(resources.labels) AS label WHERE label.key = wanted.key AND label.value = wanted.value))`;

/**
 * The resources of a kind that the filter leaves, ordered by mesh, name and namespace, `size` of them behind the first
 * `offset`; `total` counts them all. A statement is prepared once: a filter has three parts that may be absent, so
 * there are eight.
 */
export function createList(db: Connection): (filter: Filter, offset: number, size: number) => ListPage {
  const prepared = new Map<string, ReturnType<typeof prepareList>>();
  return (filter, offset, size) => {
    const conditions = conditionsOf(filter);
    const where = conditions.map(([sql]) => sql).join(' AND ');
    const values = conditions.flatMap(([, ...rest]) => rest);
    const { count, page } = prepared.get(where) ?? prepareList(db, where);
    prepared.set(where, { count, page });
    return { items: page.all(...values, size, offset).map(resourceOf), total: count.get(...values) ?? 0 };
  };
}

function prepareList(db: Connection, where: string) {
  return {
    count: db.prepare<string[], number>(`SELECT count(*) FROM resources WHERE ${where}`).pluck(),
    page: db.prepare<(string | number)[], ResourceColumns>(
      `SELECT * FROM resources WHERE ${where} ORDER BY mesh, name, namespace LIMIT ? OFFSET ?`,
    ),
  };
}

function conditionsOf({ type, mesh, nameContains, labels }: Filter): readonly SqlCondition[] {
  const conditions: SqlCondition[] = [['type = ?', type]];
  if (mesh !== undefined) conditions.push(['mesh = ?', mesh]);
  if (nameContains !== undefined) conditions.push([`instr(${REST_NAME}, ?) > 0`, nameContains]);
  if (labels !== undefined) conditions.push([HAS_LABELS, JSON.stringify(labels)]);
  return conditions;
}
