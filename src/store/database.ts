import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { MeridianError } from '../errors.ts';
import type { Connection } from './connection.ts';
import { migrate, refuseForeign } from './migrations.ts';
import { brokenChecksum, defineChecksum } from './row-checksums.ts';

const FULL = 2;

/** How long a commit waits for another program that writes. The whole process waits with it, so not for long. */
const BUSY_MS = 1_000;

/** SQLite, file format, 1.3: the smallest page, and the two bytes that say whether a file has a WAL beside it. */
const SMALLEST_BYTES = 512;
const WAL_FLAGS = 18;
const NO_WAL = 0x0101;

/**
 * Opens, checks and migrates a database: a file, ':memory:', or the bytes of one (then in memory).
 * Throws `invalid` if it is damaged or not ours, `unavailable` if it can't be read or written.
 */
export function openDatabase(source: string | Buffer): Connection {
  const db = new Database(source, { timeout: BUSY_MS });
  try {
    refuseForeign(db);
    configure(db);
    if (!db.memory) makePrivate(db.name);
    const isChecked = sizeOf(db) <= CHECKED_BYTES;
    if (isChecked) refuseDamaged(db, String(db.pragma('integrity_check(1)', { simple: true })));
    migrate(db);
    if (isChecked) refuseDamaged(db, brokenChecksum(db));
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}

/** One more connection to the database of `db`, a file, which was checked when that was opened. */
export function openBeside(db: Connection): Connection {
  const beside = new Database(db.name, { fileMustExist: true, timeout: BUSY_MS });
  configure(beside);
  defineChecksum(beside);
  return beside;
}

/** The bytes of a database, marked as one without a WAL: in memory there is none. Throws `invalid` for other bytes. */
export function withoutWal(bytes: Buffer): Buffer {
  if (bytes.length < SMALLEST_BYTES) throw damaged('the backup', 'it is too short');
  const copy = Buffer.from(bytes);
  copy.writeUInt16BE(NO_WAL, WAL_FLAGS);
  return copy;
}

/** WAL: the writer never blocks readers. FULL (set after WAL): when a commit returns, it is on the disk. */
function configure(db: Connection): void {
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  db.pragma('trusted_schema = OFF');
  db.pragma('cell_size_check = ON');
  db.pragma('temp_store = MEMORY');
  db.pragma('cache_size = -8000');
  db.pragma('journal_size_limit = 67108864');
}

/**
 * A check reads the whole file. A larger one would keep the start waiting: its damage shows when it is read, as an
 * error too.
 */
const CHECKED_BYTES = 64 * 1024 * 1024;

function sizeOf(db: Connection): number {
  return Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
}

/** `found`: what a check found; nothing, or `ok`, is no damage. */
export function refuseDamaged(db: Connection, found = 'ok'): void {
  if (found !== 'ok') throw damaged(db.name, found);
}

/**
 * Throws `internal` unless commits wait for the disk. SQLite may fall back to NORMAL at the first write, so ask after
 * it.
 */
export function requireDurable(db: Connection): void {
  if (db.pragma('synchronous', { simple: true }) !== FULL) {
    throw new MeridianError('internal', `${db.name} does not wait for the disk: synchronous is not FULL`);
  }
}

/** Throws `internal` outside of a commit: a write there would not be part of any transaction. */
export function requireCommit(db: Connection): void {
  if (!db.inTransaction) throw new MeridianError('internal', 'the store was written to outside of a commit');
}

/**
 * Makes an empty file that only we can read, and its folder if there is none. SQLite gives its side files the same
 * mode.
 */
export function createPrivate(path: string): void {
  makeFolder(dirname(path));
  // Never open an existing one: closing it again would free the locks that SQLite holds on it in this process.
  if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600));
}

/**
 * Makes a folder, and those above it. Not with `recursive`: where the file system makes none (/proc), Node tries for
 * ever. Throws what the system does.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    // Another process that starts was faster.
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown;
  }
}

/** The same mode for a file that was there before us, once we know that it is ours. */
export function makePrivate(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) chmodSync(file, 0o600);
}

/** Throws `invalid` for a file that is too short: SQLite would take it for an empty one and write over it. */
export function refuseShort(path: string): void {
  const { size } = statSync(path);
  if (size > 0 && size < SMALLEST_BYTES) throw damaged(path, 'it is too short');
}

const UNAVAILABLE = /^(SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PERM|NOLFS|AUTH)|E[A-Z]+$)/;

/** What SQLite or the file system threw, as one of our errors; anything else as it is. */
export function storeError(thrown: unknown, path: string): unknown {
  if (thrown instanceof MeridianError || !(thrown instanceof Error) || !('code' in thrown)) return thrown;
  const code = String(thrown.code);
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) return damaged(path, thrown.message, thrown);
  if (UNAVAILABLE.test(code)) {
    return new MeridianError('unavailable', `the store ${path} can't be used: ${thrown.message}`, {
      cause: thrown,
      ...(isPlace(code) ? { hint: 'Give dataDir (MERIDIAN_DATA_DIR) a folder that this user can write to, on a disk with room.' } : {}),
    });
  }
  return thrown;
}

/**
 * The same for a store that was opened: what is damaged may be one page of many, or the disk's fault, so only this
 * request failed.
 */
export function runtimeError(thrown: unknown, path: string): unknown {
  const error = storeError(thrown, path);
  if (!(error instanceof MeridianError) || error === thrown || error.code !== 'invalid') return error;
  const { message, hint, cause } = error;
  return new MeridianError('unavailable', message, { cause, ...(hint === undefined ? {} : { hint }) });
}

/** What says that the place can't hold a database, not that it is in use. */
function isPlace(code: string): boolean {
  return !/^SQLITE_(BUSY|LOCKED)/.test(code);
}

function damaged(path: string, reason: string, cause?: Error): MeridianError {
  return new MeridianError('invalid', `${path} is damaged or not a database: ${reason}`, {
    hint: 'Restore a backup, then run `meridianctl recover`; or move the file away to begin with an empty store.',
    cause,
  });
}
