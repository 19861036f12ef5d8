import { readFileSync } from 'node:fs';
import { type Document, parseDocument } from 'yaml';
import { invalid, type MeridianError } from '../errors.ts';

/**
 * What a configuration file holds, by key; an empty file holds nothing. Throws `invalid` when it can't be read or is
 * not YAML with keys.
 */
export function readConfigFile(path: string): Readonly<Record<string, unknown>> {
  const document = parseDocument(readText(path));
  const [error] = document.errors;
  // Only where and what kind of fault: the message shows the line, which may hold a password.
  if (error) throw wrong(path, `is not YAML (${error.code}, line ${error.linePos?.[0].line ?? '?'})`);
  const value = resolve(document, path);
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw wrong(path, 'must be YAML with a key on each line, like `apiPort: 5681`');
  return value as Record<string, unknown>;
}

/** Aliases that lead nowhere, or to too much, are found only here. */
function resolve(document: Document, path: string): unknown {
  try {
    return document.toJS() as unknown;
  } catch (thrown) {
    throw wrong(path, `is not YAML: ${thrown instanceof Error ? thrown.name : String(thrown)} at an alias`);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    throw wrong(path, `can't be read: ${whyUnreadable(thrown)}`);
  }
}

/** What the file system says: `ENOENT`. */
export function whyUnreadable(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
}

function wrong(path: string, reason: string): MeridianError {
  return invalid([{ field: path, reason }], 'Give an existing YAML file with -c.');
}
