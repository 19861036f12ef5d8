import { MeridianError } from '../errors.ts';
import type { Connection } from './connection.ts';
import { defineChecksum, checksumAll } from './row-checksums.ts';

/** "Meri" in SQLite's `application_id`: what tells our file from anyone else's. */
export const APPLICATION_ID = 0x4d657269;

/**
 * Resources and the change log. The first five columns of a resource repeat its key, for the index `feed`: the items of
 * an audience in key order, and their hashes without reading the rows. An audience is '', '*' or a zone
 * (src/resource/audience.ts).
 */
const RESOURCES = `
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE keys (
    id INTEGER PRIMARY KEY,
    type TEXT NOT NULL, mesh TEXT NOT NULL, zone TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
    UNIQUE (type, mesh, zone, namespace, name)
  );
  CREATE TABLE resources (
    key INTEGER PRIMARY KEY REFERENCES keys (id),
    type TEXT NOT NULL, mesh TEXT NOT NULL, zone TEXT NOT NULL, origin_namespace TEXT NOT NULL, display_name TEXT NOT NULL,
    name TEXT NOT NULL, namespace TEXT NOT NULL,
    created TEXT NOT NULL, modified TEXT NOT NULL, revision INTEGER NOT NULL,
    audience TEXT NOT NULL, hash TEXT NOT NULL,
    labels TEXT NOT NULL, spec TEXT NOT NULL, status TEXT, wire TEXT NOT NULL,
    UNIQUE (type, mesh, name, namespace)
  );
  CREATE INDEX feed ON resources (audience, type, mesh, zone, origin_namespace, display_name, hash) WHERE audience <> '';
  CREATE TABLE log (
    seq INTEGER PRIMARY KEY,
    revision INTEGER NOT NULL,
    key INTEGER NOT NULL REFERENCES keys (id),
    audience_before TEXT NOT NULL, hash_before TEXT NOT NULL,
    audience_after TEXT NOT NULL, hash_after TEXT NOT NULL
  );
  CREATE INDEX log_revision ON log (revision);
  CREATE INDEX log_key ON log (key);
`;

/** What others sent: their items, the refusals among them, how far we are, and transfers that are under way. */
const MIRRORS = `
  CREATE TABLE mirror (
    peer TEXT NOT NULL, key INTEGER NOT NULL REFERENCES keys (id),
    hash TEXT NOT NULL, term INTEGER NOT NULL,
    refused_hash TEXT, refused_reason TEXT, refused_since TEXT, in_force TEXT,
    wire TEXT NOT NULL,
    PRIMARY KEY (peer, key)
  );
  CREATE INDEX mirror_refused ON mirror (peer, key) WHERE refused_hash IS NOT NULL;
  CREATE TABLE positions (
    peer TEXT PRIMARY KEY,
    store TEXT NOT NULL, term INTEGER NOT NULL, revision INTEGER NOT NULL,
    digest TEXT NOT NULL, count INTEGER NOT NULL, signature TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE staged (
    peer TEXT NOT NULL, key INTEGER NOT NULL REFERENCES keys (id), wire TEXT NOT NULL,
    PRIMARY KEY (peer, key)
  );
`;

/** Assigned names, for good; and who refers to whom. */
const NAMES = `
  CREATE TABLE names (
    type TEXT NOT NULL, name TEXT NOT NULL, key INTEGER NOT NULL UNIQUE REFERENCES keys (id),
    PRIMARY KEY (type, name)
  ) WITHOUT ROWID;
  CREATE TABLE refs (
    policy INTEGER NOT NULL REFERENCES keys (id), target INTEGER NOT NULL REFERENCES keys (id),
    PRIMARY KEY (policy, target)
  ) WITHOUT ROWID;
  CREATE INDEX refs_target ON refs (target);
`;

/**
 * What is gone, so that whoever watches hears of it, and since when that is known (the setting `gone since`); and who
 * did what. A resource's own revision tells the rest.
 */
const HISTORY = `
  CREATE INDEX resources_revision ON resources (revision);
  CREATE TABLE gone (
    key INTEGER PRIMARY KEY REFERENCES keys (id), revision INTEGER NOT NULL, name TEXT NOT NULL, namespace TEXT NOT NULL
  );
  CREATE INDEX gone_revision ON gone (revision);
  INSERT INTO settings SELECT 'gone since', value FROM settings WHERE name = 'revision';
  CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    time TEXT NOT NULL, principal TEXT NOT NULL, role TEXT NOT NULL, address TEXT NOT NULL, operation TEXT NOT NULL,
    type TEXT NOT NULL, mesh TEXT NOT NULL, name TEXT NOT NULL, kri TEXT NOT NULL,
    outcome TEXT NOT NULL, revision INTEGER, code TEXT NOT NULL
  );
  CREATE INDEX audit_refused ON audit (id) WHERE outcome = 'refused';
`;

/** The seals, which prove that a row is as it was written (src/store/row-checksums.ts). */
const SEALS = checksumAll('resources') + checksumAll('mirror');

/**
 * What refers to keys, to find those that nothing does, and the keys of one zone (src/store/mirror/key-collection.ts).
 */
const UNUSED = `
  CREATE INDEX mirror_key ON mirror (key);
  CREATE INDEX staged_key ON staged (key);
  CREATE INDEX keys_zone ON keys (zone);
`;

/** When something was deleted, by the clock of this machine, for people; '' before this step. */
const DELETED = `ALTER TABLE gone ADD COLUMN deleted TEXT NOT NULL DEFAULT ''`;

/** Number n (from 1) leads from schema n-1 to schema n. What was released is never edited: append. */
export const MIGRATIONS: readonly string[] = [RESOURCES, MIRRORS, NAMES, HISTORY, SEALS, UNUSED, DELETED];

/**
 * Brings the database to the newest schema, each step in a transaction of its own with its number (`user_version`).
 *
 *   empty        -> 1, 2, 3, 4, 5, 6, 7
 *   schema 6     -> 7
 *   schema 7     -> nothing
 */
export function migrate(db: Connection, migrations: readonly string[] = MIGRATIONS): void {
  defineChecksum(db);
  for (let version = schemaVersion(db); version < migrations.length; version += 1) {
    db.transaction(() => {
      db.exec(migrations[version] ?? '');
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.pragma(`user_version = ${version + 1}`);
    }).immediate();
  }
}

/** Throws `invalid` if the file is another program's or a newer Meridian's. Reads only. */
export function refuseForeign(db: Connection, known = MIGRATIONS.length): void {
  const objects = db.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get() ?? 0;
  const empty = objects === 0 && schemaVersion(db) === 0;
  if (!empty && db.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    throw new MeridianError('invalid', `${db.name} is the database of another program`, {
      hint: 'Give Meridian a data directory of its own.',
    });
  }
  if (schemaVersion(db) > known) {
    throw new MeridianError('invalid', `${db.name} has schema ${schemaVersion(db)}, this Meridian knows ${known}`, {
      hint: 'A newer Meridian wrote it: run that one, or restore a backup from before the upgrade.',
    });
  }
}

function schemaVersion(db: Connection): number {
  return Number(db.pragma('user_version', { simple: true }));
}
