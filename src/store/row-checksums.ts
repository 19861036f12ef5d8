import { hash } from 'node:crypto';
import type { Connection } from './connection.ts';

/**
 * SQLite finds damage in the structure of a page, but not in the contents of a row: one bit can change the identity in
 * a deny. So rows that are enforced carry a seal, a checksum over their contents. Whoever writes the row
 * makes it.
 *
 *   put       INSERT ... seal(type, ..., spec, wire)
 *   at start  a row whose seal is not seal(type, ..., spec, wire): the file is damaged
 */
const SEALED = {
  resources: [
    ...(['type', 'mesh', 'zone', 'origin_namespace', 'display_name', 'name', 'namespace'] as const),
    ...(['modified', 'revision', 'audience', 'hash', 'labels', 'spec', 'status', 'wire'] as const),
  ],
  mirror: ['peer', 'key', 'hash', 'term', 'refused_hash', 'refused_reason', 'refused_since', 'in_force', 'wire'],
} as const;

type SealedTable = keyof typeof SEALED;

const DIGITS = 16;

/** Makes the SQL function `seal` known to a connection. */
export function defineChecksum(db: Connection): void {
  db.function('seal', { deterministic: true, varargs: true }, (...values: unknown[]) => sealOf(values));
}

function sealOf(values: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(values)).slice(0, DIGITS);
}

/** The sealed columns of a row that is to be written. */
export type SealedRow<T extends SealedTable> = Readonly<Record<(typeof SEALED)[T][number], string | number | null>>;

/**
 * The seal of a row that is to be written, as `seal` makes it of the stored one. Worked out here: SQLite would hand
 * each column to JavaScript, which takes longer than to write the row. Half a character becomes in UTF-8 what
 * `toWellFormed` makes of it.
 */
export function checksumOf<T extends SealedTable>(table: T, row: SealedRow<T>): string {
  const columns: readonly (keyof SealedRow<T>)[] = SEALED[table];
  return sealOf(
    columns.map((column) => {
      const value: string | number | null = row[column];
      return typeof value === 'string' ? value.toWellFormed() : value;
    }),
  );
}

/** For the migration: seals what is there. */
export function checksumAll(table: SealedTable): string {
  return `
    ALTER TABLE ${table} ADD COLUMN seal TEXT NOT NULL DEFAULT '';
    UPDATE ${table} SET seal = ${sealOfColumns(table)};
  `;
}

/** Which rows are not as they were written, in words; undefined: all are right. Reads every row. */
export function brokenChecksum(db: Connection): string | undefined {
  for (const [table, select] of Object.entries(BROKEN)) {
    const key = db.prepare<[], string>(`${select} LIMIT 1`).pluck().get();
    if (key !== undefined) return `the row of ${key} in ${table} is not as it was written`;
  }
  return undefined;
}

const KEY = `k.type || ' ' || k.mesh || ' ' || k.zone || ' ' || k.namespace || ' ' || k.name`;

/** A resource repeats its key, so that its seal holds that one as well. */
const BROKEN: Readonly<Record<SealedTable, string>> = {
  resources: `SELECT ${KEY} FROM resources r JOIN keys k ON k.id = r.key WHERE r.seal IS NOT ${sealOfColumns('resources', 'r.')}
    OR (k.type, k.mesh, k.zone, k.namespace, k.name) IS NOT (r.type, r.mesh, r.zone, r.origin_namespace, r.display_name)`,
  mirror: `SELECT ${KEY} FROM mirror m JOIN keys k ON k.id = m.key WHERE m.seal IS NOT ${sealOfColumns('mirror', 'm.')}`,
};

function sealOfColumns(table: SealedTable, prefix = ''): string {
  return `seal(${SEALED[table].map((column) => prefix + column).join(', ')})`;
}
