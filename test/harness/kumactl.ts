import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { findProgram } from './programs.ts';

/** What a run of kumactl left. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The real kumactl: $KUMACTL, the one beside the repository, or the PATH's. */
export const KUMACTL = findProgram('KUMACTL', 'kumactl');
export const NO_KUMACTL = KUMACTL === undefined ? 'there is no kumactl: set KUMACTL to try the real one against this API' : false;

/** It runs for less than a second: collecting what it left, on several cores, is a fifth of what it takes. */
const SHORT_LIVED = { GOGC: 'off', GOMAXPROCS: '1' };

/** Runs it in `folder`, with the configuration `config` of its own there. */
export function runKumactl(folder: string, config: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const all = ['--config-file', join(folder, `${config}.kumactl`), ...args];
    execFile(KUMACTL ?? '', all, { cwd: folder, env: { HOME: folder, ...SHORT_LIVED }, maxBuffer: 64 * 1024 * 1024 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, out, err });
    });
  });
}
