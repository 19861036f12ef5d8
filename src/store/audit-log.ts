import type { AuditEntry, AuditFilter, AuditReader, AuditRecord } from '../resource/store/audit.ts';
import { requireCommit } from './database.ts';
import type { Connection } from './connection.ts';

/**
 * How many records are kept, about 30 MB. Fewer of them are refusals, so that many refused requests can't push out the
 * changes.
 */
export const AUDIT_DONE = 100_000;
export const AUDIT_REFUSED = 10_000;
/** How many records are forgotten at a time, so that no commit gets slow. */
const STEP = 1_000;

const FILTERS = ['principal', 'operation', 'outcome', 'type', 'mesh', 'name', 'kri'] as const;
const WHERE = FILTERS.map((field) => `(@${field} IS NULL OR ${field} = @${field})`).join(' AND ');

type AuditParameters = { readonly [field in (typeof FILTERS)[number]]: string | null };

/** The records of who did what, in the same database and commits as what was done. */
export function createAudit(db: Connection): { readonly reader: AuditReader; record(records: readonly AuditRecord[]): void } {
  const insert = db.prepare<[AuditRecord]>(
    `INSERT INTO audit (time, principal, role, address, operation, type, mesh, name, kri, outcome, revision, code)
     VALUES (@time, @principal, @role, @address, @operation, @type, @mesh, @name, @kri, @outcome, @revision, @code)`,
  );
  const select = db.prepare<[AuditParameters & { before: number; size: number }], AuditEntry>(
    `SELECT * FROM audit WHERE id < @before AND ${WHERE} ORDER BY id DESC LIMIT @size`,
  );
  const count = db.prepare<[AuditParameters], number>(`SELECT count(*) FROM audit WHERE ${WHERE}`).pluck();
  const prune = createPrune(db);
  let since = STEP;
  return {
    reader: {
      list(filter, before, size) {
        const asked = askedOf(filter);
        return { items: select.all({ ...asked, before: before ?? Number.MAX_SAFE_INTEGER, size }), total: count.get(asked) ?? 0 };
      },
    },
    record(records) {
      requireCommit(db);
      for (const record of records) insert.run(record);
      since += records.length;
      if (since < STEP) return;
      prune();
      since = 0;
    },
  };
}

function askedOf(filter: AuditFilter): AuditParameters {
  return Object.fromEntries(FILTERS.map((field) => [field, filter[field] ?? null])) as AuditParameters;
}

/**
 * The oldest records go, of each sort those above its number. The newest record stays, so that no id is given twice.
 */
function createPrune(db: Connection): () => void {
  const sorts = [
    ["outcome = 'refused'", AUDIT_REFUSED],
    ["outcome <> 'refused'", AUDIT_DONE],
  ] as const;
  const prunes = sorts.map(([which, most]) =>
    db.prepare(`DELETE FROM audit WHERE ${which} AND id <= (SELECT id FROM audit WHERE ${which} ORDER BY id DESC LIMIT 1 OFFSET ${most})`),
  );
  return () => {
    for (const one of prunes) one.run();
  };
}
