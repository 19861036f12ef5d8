import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scope } from '../harness/scope.ts';

/** Where a data directory can be, how its disk is made to fail, and how it is made good again. */
export interface DataPlace {
  readonly folder: string;
  break(pid: number): void;
  repair(pid: number): void;
}

/**
 * A file system of its own with `megabytes` of room. undefined when this machine doesn't let us mount one: that takes
 * root.
 */
export function smallDisk(scope: Scope, megabytes: number): DataPlace | undefined {
  const folder = scope.folder();
  if (!ran('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder)) return undefined;
  scope.add(() => void ran('umount', '-l', folder));
  const filler = join(folder, 'filler');
  return { folder, break: () => fill(filler), repair: () => rmSync(filler) };
}

/**
 * A folder whose files can't be written to by the process, though there is room: each write fails with EFBIG. undefined
 * without prlimit (Linux).
 */
export function failingDisk(scope: Scope): DataPlace | undefined {
  if (!ran('prlimit', '--version')) return undefined;
  const limit = (pid: number, bytes: string): void => {
    if (!ran('prlimit', '--pid', String(pid), `--fsize=${bytes}:`)) throw new Error(`prlimit --fsize=${bytes} failed`);
  };
  return { folder: scope.folder(), break: (pid) => limit(pid, '0'), repair: (pid) => limit(pid, 'unlimited') };
}

const BLOCK = Buffer.alloc(4096, 'x');

/** Until not one byte more fits. */
function fill(path: string): void {
  for (let at = 0; ; at = statSync(path).size) {
    try {
      writeFileSync(path, BLOCK, { flag: 'a' });
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOSPC')) throw thrown;
      if (existsSync(path) && statSync(path).size > at) truncateSync(path, at);
      return;
    }
  }
}

function ran(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
