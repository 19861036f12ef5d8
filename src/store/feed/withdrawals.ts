import { includes, parseAudience } from '../../resource/audience.ts';
import type { Key } from '../../resource/key.ts';
import type { WithdrawalReader, WithdrawalFilter, Withdrawal } from '../../resource/store/withdrawals.ts';
import { isIncluded } from './feed-changes.ts';
import type { Connection } from '../connection.ts';
import { KEY_COLUMNS, keyOf } from '../resources/key-table.ts';

/** What rows of `resources` must meet. */
const ASKED = `(@type IS NULL OR type = @type) AND (@mesh IS NULL OR mesh = @mesh) AND (@name IS NULL OR display_name = @name OR name = @name)`;
const WANTED = `audience <> '' AND ${ASKED}`;

const GROUPS = `SELECT audience, zone, count(*) AS count FROM resources WHERE ${WANTED} GROUP BY audience, zone`;

const KEYS = `
  SELECT type, mesh, zone, origin_namespace AS namespace, display_name AS name FROM resources
  WHERE ${WANTED} AND ${isIncluded('audience', 'zone')}
  ORDER BY type, mesh, zone, origin_namespace, display_name LIMIT @size OFFSET @offset`;

/** Where the audience is again what it was before, nobody lost anything. */
const WITHDRAWN = `
  SELECT ${KEY_COLUMNS}, l.audience_before AS before, max(l.revision) AS revision, coalesce(r.audience, '') AS now,
    coalesce(r.modified, g.deleted, '') AS since, r.key IS NULL AS deleted
  FROM log l JOIN keys k ON k.id = l.key LEFT JOIN resources r ON r.key = l.key LEFT JOIN gone g ON g.key = l.key
  WHERE l.revision > @revision AND l.audience_before NOT IN ('', coalesce(r.audience, ''))
    AND (@type IS NULL OR k.type = @type) AND (@mesh IS NULL OR k.mesh = @mesh)
    AND (@name IS NULL OR k.name = @name OR r.name = @name OR g.name = @name)
  GROUP BY l.key, l.audience_before ORDER BY revision DESC, l.key LIMIT @size`;

interface WithdrawalParameters {
  readonly type: string | null;
  readonly mesh: string | null;
  readonly name: string | null;
}

interface WithdrawalRow extends Key {
  readonly before: string;
  readonly now: string;
  readonly revision: number;
  readonly since: string;
  readonly deleted: number;
}

/** Whom what is stored is for, for people: the ledger. */
export function createSent(db: Connection): WithdrawalReader {
  const exists = db.prepare<[WithdrawalParameters], number>(`SELECT 1 FROM resources WHERE ${ASKED} LIMIT 1`).pluck();
  const groups = db.prepare<[WithdrawalParameters], { audience: string; zone: string; count: number }>(GROUPS);
  const keys = db.prepare<[WithdrawalParameters & { peer: string; offset: number; size: number }], Key>(KEYS);
  const withdrawn = db.prepare<[WithdrawalParameters & { revision: number; size: number }], WithdrawalRow>(WITHDRAWN);
  return {
    exists: (filter) => exists.get(parametersOf(filter)) !== undefined,
    counts(filter) {
      const lines = groups
        .all(parametersOf(filter))
        .map(({ audience, zone, count }) => ({ audience: parseAudience(audience), zone, count }));
      return (peer) =>
        lines.filter((line) => includes(line.audience, { zone: line.zone }, peer)).reduce((sum, { count }) => sum + count, 0);
    },
    keys: (peer, filter, offset, size) => keys.all({ ...parametersOf(filter), peer, offset, size }).map(keyOf),
    withdrawn(revision, filter, size) {
      const lines = withdrawn.all({ ...parametersOf(filter), revision, size: size + 1 });
      return { withdrawn: lines.slice(0, size).map(toWithdrawal), more: lines.length > size };
    },
  };
}

function parametersOf({ type, mesh, name }: WithdrawalFilter): WithdrawalParameters {
  return { type: type ?? null, mesh: mesh ?? null, name: name ?? null };
}

function toWithdrawal({ before, now, revision, since, deleted, ...key }: WithdrawalRow): Withdrawal {
  return {
    key: keyOf(key),
    before: parseAudience(before),
    now: parseAudience(now),
    revision,
    since: since === '' ? undefined : since,
    deleted: deleted === 1,
  };
}
