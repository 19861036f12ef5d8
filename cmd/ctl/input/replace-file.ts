import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The mode of files that hold secrets. */
export const OWNER_ONLY = 0o600;

/**
 * Replaces a file that holds secrets, and makes its folder: another process reads the old one or the new one, never a
 * part.
 */
export function replaceFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // A link stays one: what it leads to is replaced.
  const target = statSync(path, { throwIfNoEntry: false }) ? realpathSync(path) : path;
  const next = `${target}.${randomBytes(6).toString('hex')}`;
  try {
    const descriptor = openSync(next, 'wx', OWNER_ONLY);
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(next, target);
  } finally {
    rmSync(next, { force: true });
  }
}
