import type { Connection } from '../connection.ts';
import type { ResourceColumns } from './row-columns.ts';
import type { StoreSettings } from '../store-settings.ts';

/** How many deletions are remembered: about 10 MB. A client that was away for longer lists everything again. */
const GONE_ENTRIES = 100_000;
/** How many deletions are forgotten at a time, so that no commit gets slow. */
const STEP = 1_000;
/** And at most, though a whole revision is forgotten at once: what is left of it goes with the next deletions. */
const MOST = 2_000;

const SINCE = 'gone since';

/** What was deleted, each key once: its last deletion, until it is there again. */
export interface Tombstones {
  add(columns: Pick<ResourceColumns, 'key' | 'name' | 'namespace'>, revision: number): void;
  forget(key: number): void;
  /** Deletions after this revision are all known. */
  since(): number;
  /** Another connection may have added or forgotten some. */
  recount(): void;
}

export function createTombstones(db: Connection, settings: StoreSettings, most = GONE_ENTRIES): Tombstones {
  const insert = db.prepare<[number, number, string, string]>(
    `INSERT OR REPLACE INTO gone VALUES (?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`,
  );
  const remove = db.prepare<[number]>('DELETE FROM gone WHERE key = ?');
  const count = db.prepare<[], number>('SELECT count(*) FROM gone').pluck();
  const newestToForget = db.prepare<[number], number>('SELECT revision FROM gone ORDER BY revision DESC LIMIT 1 OFFSET ?').pluck();
  const forgetUpTo = db.prepare<[number]>(`DELETE FROM gone WHERE key IN (SELECT key FROM gone WHERE revision <= ? LIMIT ${MOST})`);
  // More than there are, after a rollback: then it is only counted earlier.
  let entries = count.get() ?? 0;
  return {
    forget: (key) => void remove.run(key),
    since: () => Number(settings.get(SINCE) ?? 0),
    recount: () => {
      entries = count.get() ?? 0;
    },
    add({ key, name, namespace }, revision) {
      insert.run(key, revision, name, namespace);
      entries += 1;
      if (entries < most + STEP) return;
      entries = count.get() ?? 0;
      const oldest = entries < most + STEP ? undefined : newestToForget.get(most);
      // One commit may delete more than are kept. Whole revisions are forgotten, so that none is known in part.
      if (oldest === undefined) return;
      forgetUpTo.run(oldest);
      settings.set(SINCE, String(oldest));
      entries = count.get() ?? 0;
    },
  };
}
