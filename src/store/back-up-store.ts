import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { MeridianError } from '../errors.ts';
import { createPrivate, refuseDamaged } from './database.ts';
import { refuseForeign } from './migrations.ts';

/** More pages than any store has: all are copied in one go, as they are at one moment, whoever writes meanwhile. */
const ALL_PAGES = 0x7fff_ffff;

/**
 * Copies the store in a data directory to a new file of mode 0600, as it is at one moment, whether a process runs on it
 * or not. Gives its size. Throws `not_found` where there is no store, `conflict` where the file is there already,
 * `invalid` for a damaged copy (the store is damaged then), `unavailable` for what the system refuses.
 */
export async function backUpStore(folder: string, target: string): Promise<{ readonly bytes: number }> {
  const source = join(folder, 'meridian.db');
  if (!existsSync(source)) throw new MeridianError('not_found', `there is no store in ${folder}`, { hint: 'say its data directory' });
  if (existsSync(target)) throw new MeridianError('conflict', `${target} is there already`, { hint: 'give each backup a name of its own' });
  const part = `${target}.part`;
  try {
    rmSync(part, { force: true });
    createPrivate(part);
    await copy(source, part);
    check(part);
    toDisk(part);
    renameSync(part, target);
    return { bytes: statSync(target).size };
  } catch (thrown) {
    if (thrown instanceof MeridianError) throw thrown;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new MeridianError('unavailable', `${source} can't be copied to ${target}: ${reason}`, { cause: thrown });
  } finally {
    for (const file of [part, `${part}-wal`, `${part}-shm`]) rmSync(file, { force: true });
  }
}

async function copy(source: string, target: string): Promise<void> {
  const db = new Database(source, { readonly: true, fileMustExist: true });
  try {
    await db.backup(target, { progress: () => ALL_PAGES });
  } finally {
    db.close();
  }
}

/** A backup that can't be read is found when it is made. */
function check(path: string): void {
  const db = new Database(path, { fileMustExist: true });
  try {
    refuseForeign(db);
    refuseDamaged(db, String(db.pragma('quick_check(1)', { simple: true })));
  } finally {
    db.close();
  }
}

function toDisk(path: string): void {
  const descriptor = openSync(path, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
