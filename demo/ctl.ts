import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

export interface ProgramResult {
  readonly code: number;
  readonly out: string;
}

/** Runs the built meridianctl against `url`; '' for what needs no server. */
export function ctl(url: string, ...args: readonly string[]): Promise<ProgramResult> {
  const where = url === '' ? [] : ['--url', url];
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1' };
    execFile(process.execPath, ['dist/cmd/ctl/main.js', ...args, ...where], { cwd: ROOT, env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, out: stdout + stderr });
    });
  });
}
