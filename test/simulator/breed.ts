import { spawn } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './mutants.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NEEDED = ['src', 'test/simulator', 'test/harness', 'package.json', 'tsconfig.json'];

/** The file with the fault. Throws when the text is not there exactly once: the code has changed. */
export function planted({ name, file, from, to }: Mutant): string {
  const text = readFileSync(join(ROOT, file), 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${name}: ${file} has this not once: ${from}`);
  return text.replace(from, () => to);
}

/** Puts a copy of the code with the fault into the empty `folder`. Throws as `planted` does. */
export function breed(mutant: Mutant, folder: string): void {
  const text = planted(mutant);
  for (const path of NEEDED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, mutant.file), text);
}

/** What the simulator finds in the code in `folder` within so many seeds: `SEED PROBLEM`, or '' for nothing. */
export function hunt(folder: string, first: number, last: number): Promise<string> {
  const child = spawn(process.execPath, ['test/simulator/hunt.ts', String(first), String(last)], {
    cwd: folder,
    // Of a folder that goes away nothing is worth keeping.
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(output.trim()) : reject(new Error(errors))));
  });
}
