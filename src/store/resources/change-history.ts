import type { HistoryChange, HistoryReader } from '../../resource/store/history.ts';
import { keyFromTuple } from '../../resource/key.ts';
import type { Connection } from '../connection.ts';
import type { Tombstones } from './tombstones.ts';
import { type KeyTable, NO_KEY } from './key-table.ts';
import { type ResourceColumns, resourceOf } from './row-columns.ts';

/** Characters of what is read at once. */
const MOST_TEXT = 256 * 1024;

/** What both halves must meet: `t` is the table of the change, `k` its key. */
const NARROWED = `t.revision >= @revision AND (t.revision > @revision OR t.key > @number)
  AND (@type IS NULL OR k.type = @type) AND (@mesh IS NULL OR k.mesh = @mesh) AND (@key IS NULL OR t.key = @key)
  ORDER BY t.revision, t.key LIMIT @size`;

const BEHIND = `
  SELECT * FROM (
    SELECT t.revision, t.key, k.type, k.mesh, k.zone, k.namespace AS origin_namespace, k.name AS display_name, t.name, t.namespace,
      t.created, t.modified, t.labels, t.spec, t.status
    FROM resources t JOIN keys k ON k.id = t.key WHERE ${NARROWED})
  UNION ALL SELECT * FROM (
    SELECT t.revision, t.key, k.type, k.mesh, k.zone, k.namespace, k.name, t.name, t.namespace, NULL, NULL, NULL, NULL, NULL
    FROM gone t JOIN keys k ON k.id = t.key WHERE ${NARROWED})
  ORDER BY revision, key LIMIT @size`;

type HistoryRow = Omit<ResourceColumns, 'wire' | 'audience' | 'hash' | 'labels' | 'spec'> & {
  readonly labels: string | null;
  readonly spec: string | null;
};

interface HistoryParameters {
  readonly revision: number;
  readonly number: number;
  readonly type: string | null;
  readonly mesh: string | null;
  readonly key: number | null;
  readonly size: number;
}

/** The history of a store: its rows by their revisions, with the deletions between them. */
export function createHistory(db: Connection, keys: KeyTable, gone: Tombstones): HistoryReader {
  const behind = db.prepare<[HistoryParameters], HistoryRow>(BEHIND);
  return {
    reaches: (revision) => revision >= gone.since(),
    behind({ revision, number }, { type = null, mesh = null, key: wanted }, size) {
      const key = wanted ? (keys.find(wanted) ?? NO_KEY) : null;
      const lines = behind.all({ revision, number, type, mesh, key, size: size + 1 });
      const fitting = lines.slice(0, size).slice(0, countFitting(lines));
      return { changes: fitting.map(toChange), more: fitting.length < lines.length };
    },
  };
}

/** How many of the lines are not too much at once; at least one. */
function countFitting(lines: readonly HistoryRow[]): number {
  let text = 0;
  const tooMuch = lines.findIndex(({ spec, status }) => {
    text += (spec?.length ?? 0) + (status?.length ?? 0);
    return text > MOST_TEXT;
  });
  return tooMuch < 0 ? lines.length : Math.max(1, tooMuch);
}

function toChange({ labels, spec, ...line }: HistoryRow): HistoryChange {
  const { revision, key: number, type, mesh, zone, origin_namespace, display_name, name, namespace } = line;
  const key = keyFromTuple([type, mesh, zone, origin_namespace, display_name]);
  const resource = labels === null || spec === null ? undefined : resourceOf({ ...line, audience: '', hash: '', labels, spec });
  return { revision, number, key, name, namespace, resource };
}
