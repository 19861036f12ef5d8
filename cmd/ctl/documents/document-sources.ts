import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { MeridianError } from '../../../src/errors.ts';
import { fetchSource, isAddress } from './fetch-source.ts';

/** One file that was named with `-f`, or found in a folder that was. */
export interface DocumentSource {
  /** As the user would name it; `-` for standard input. */
  readonly file: string;
  readonly text: string;
}

const DOCUMENTS = /\.(yaml|yml|json)$/;

/**
 * Reads files, folders (with all that is in them, sorted; but nothing hidden, as an editor or git keeps it), addresses
 * and `-`. Throws `not_found` or `invalid` for what can't be read, which it names.
 */
export async function readSources(paths: readonly string[]): Promise<DocumentSource[]> {
  const sources: DocumentSource[] = [];
  for (const path of paths) sources.push(...(await readPath(path)));
  return sources;
}

async function readPath(path: string): Promise<DocumentSource[]> {
  if (path === '-') return [{ file: '-', text: await named('-', async () => decode(await buffer(process.stdin))) }];
  if (isAddress(path)) return [{ file: path, text: await named(path, async () => decode(await fetchSource(path))) }];
  if (!(await named(path, () => stat(path))).isDirectory()) return [await named(path, () => readSource(path))];
  const files = await documentsIn(path);
  return Promise.all(files.sort().map((file) => named(file, () => readSource(file))));
}

/**
 * The files of a folder, and of those in it. What a link leads to counts as what it is; one that leads to a folder is
 * not followed.
 */
async function documentsIn(folder: string): Promise<string[]> {
  const entries = await named(folder, () => readdir(folder, { withFileTypes: true }));
  const found = entries.map(async (entry) => {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.')) return [];
    if (entry.isDirectory()) return documentsIn(path);
    if (!DOCUMENTS.test(entry.name)) return [];
    return entry.isSymbolicLink() && (await named(path, () => stat(path))).isDirectory() ? [] : [path];
  });
  return (await Promise.all(found)).flat();
}

async function named<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
}

/** One file. Throws what the file system does. */
export async function readSource(file: string): Promise<DocumentSource> {
  return { file, text: decode(await readFile(file)) };
}

/** Throws on what is not UTF-8: read as something else, it would be something else. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

function unreadable(path: string, thrown: unknown): MeridianError {
  if (thrown instanceof MeridianError) return thrown;
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new MeridianError('not_found', `${path} does not exist`, { hint: 'check the path behind -f' });
  return new MeridianError('invalid', `${path} can't be read: ${reasonOf(thrown as NodeJS.ErrnoException)}`, { cause: thrown });
}

/** Without the path, which stands before it already, and in words where the system has only a code. */
function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'it is not UTF-8';
  return message.replace(/, \w+( '.*')?$/s, '');
}
