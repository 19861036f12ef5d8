import { chmodSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { MeridianError } from '../../../src/errors.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import { note } from '../terminal/output.ts';
import { OWNER_ONLY, replaceFile } from '../input/replace-file.ts';

/** A control plane that the user gave a name: a context. */
export interface ControlPlane {
  readonly name: string;
  /** Of its API, without a slash at its end. */
  readonly address: string;
  readonly token?: string | undefined;
  /** An absolute path: only the reference is kept. */
  readonly caCertFile?: string | undefined;
  readonly skipVerify?: boolean | undefined;
  /** Of a zone: its name, and the name of its global here. */
  readonly zone?: string | undefined;
  readonly zoneOf?: string | undefined;
}

export interface Contexts {
  readonly current: string | undefined;
  readonly controlPlanes: readonly ControlPlane[];
}

/** $MERIDIAN_CONFIG, else `~/.meridian/config`. */
export function contextsPath(): string {
  return process.env.MERIDIAN_CONFIG || join(homedir(), '.meridian', 'config');
}

/**
 * The contexts in a file of JSON; a file that is not there has none. A mode that lets others in is repaired, and said.
 * Throws `invalid` for what is no such file, `forbidden` for one of somebody else's that others can write or read.
 */
export function readContexts(path: string): Contexts {
  const text = readIfThere(path);
  if (text === undefined) return { current: undefined, controlPlanes: [] };
  closeToOthers(path);
  const value = parse(text);
  if (!isObject(value) || !Array.isArray(value.controlPlanes) || !value.controlPlanes.every(isControlPlane)) {
    throw new MeridianError('invalid', `${path} is no file of contexts`, {
      hint: 'correct it, or remove it and add the control planes again',
    });
  }
  // Checked above, one by one.
  const controlPlanes = value.controlPlanes as unknown as readonly ControlPlane[];
  return { current: typeof value.current === 'string' ? value.current : undefined, controlPlanes };
}

/** Replaces the file. */
export function writeContexts(path: string, contexts: Contexts): void {
  replaceFile(path, `${JSON.stringify(contexts, undefined, 2)}\n`);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new MeridianError('invalid', `${path} can't be read: ${message}`, { hint: 'see MERIDIAN_CONFIG', cause: thrown });
  }
}

function closeToOthers(path: string): void {
  const { mode, uid } = statSync(path);
  if (process.platform === 'win32' || (mode & 0o077) === 0) return;
  if (uid !== process.getuid?.()) {
    throw new MeridianError('forbidden', `${path} is somebody else's, and open to others`, {
      hint: 'set MERIDIAN_CONFIG to a file of yours',
    });
  }
  chmodSync(path, OWNER_ONLY);
  note(`warning: others could read ${path} and the tokens in it; its mode is 600 now`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whoever asks says what is wrong with it.
    return undefined;
  }
}

function isControlPlane(value: unknown): boolean {
  if (!isObject(value) || typeof value.name !== 'string' || typeof value.address !== 'string') return false;
  const { token, caCertFile, skipVerify, zone, zoneOf } = value;
  const texts = [token, caCertFile, zone, zoneOf].every((text) => text === undefined || typeof text === 'string');
  return texts && URL.canParse(value.address) && (skipVerify === undefined || typeof skipVerify === 'boolean');
}
