import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Scope } from './scope.ts';

/** One process that a test started. */
export interface Child {
  readonly pid: number;
  /** Lines of standard output and standard error, as they come. */
  readonly lines: readonly string[];
  /** Resolves with the exit code when the process has ended; a signal that ended it is its name. */
  readonly exit: Promise<number | string>;
  running(): boolean;
  /** Sends a signal; nothing if the process has ended. */
  signal(name: NodeJS.Signals): void;
}

/** Starts a program; it is killed at the end of the scope if it still runs. */
export function startChild(scope: Scope, program: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd?: string): Child {
  const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', (line) => lines.push(line));
  const exit = exitOf(child);
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  scope.add(async () => {
    if (running()) child.kill('SIGKILL');
    await exit;
  });
  return { pid: child.pid ?? 0, lines, exit, running, signal: (name) => void (running() && child.kill(name)) };
}

/** 'close', not 'exit': every line has been read then. */
function exitOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
}
