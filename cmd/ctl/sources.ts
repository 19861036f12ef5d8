import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { MeridianError } from '../../src/errors.ts';

/** One file that was named with `-f`, or found in a folder that was. */
export interface Source {
  /** As the user would name it; `-` for standard input. */
  readonly file: string;
  readonly text: string;
}

const DOCUMENTS = /\.(yaml|yml|json)$/;

/**
 * Reads files, folders (with all that is in them, sorted) and `-`. Throws `not_found` or `invalid` for what can't be
 * read.
 */
export async function readSources(paths: readonly string[]): Promise<Source[]> {
  const sources: Source[] = [];
  for (const path of paths) sources.push(...(await readPath(path)));
  return sources;
}

async function readPath(path: string): Promise<Source[]> {
  try {
    if (path === '-') return [{ file: '-', text: decode(await buffer(process.stdin)) }];
    if (!(await stat(path)).isDirectory()) return [await readSource(path)];
    const names = await readdir(path, { recursive: true });
    const files = names.filter((name) => DOCUMENTS.test(name)).map((name) => join(path, name));
    return await Promise.all(files.sort().map(readSource));
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
}

/** One file. Throws what the file system does. */
export async function readSource(file: string): Promise<Source> {
  return { file, text: decode(await readFile(file)) };
}

/** Throws on what is not UTF-8: read as something else, it would be something else. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

function unreadable(path: string, thrown: unknown): MeridianError {
  const { code, message } = thrown as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new MeridianError('not_found', `${path} does not exist`, { hint: 'check the path behind -f' });
  return new MeridianError('invalid', `${path} can't be read: ${message}`, { cause: thrown });
}
