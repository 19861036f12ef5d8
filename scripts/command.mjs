// How the scripts of this folder run other programs and tell what they do. No dependencies: they run before `npm ci`.
import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, with a slash at its end left off. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');

/** Out: package.json. */
export function packageFile() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
}

/** Something a person has to put right. Its message is the whole story: it is printed without a stack. */
export class Problem extends Error {}

/** One line of progress, on standard error, so that a program's own output stays clean. */
export function say(line) {
  process.stderr.write(`> ${line}\n`);
}

/**
 * Runs a program to its end in the project's folder.
 * `show` passes its output through to standard error; otherwise it is collected.
 * Out: `{ ok, output, why }`; `why` is one line for a person when it is not ok.
 */
export function run(program, args, { show = false, env = process.env, cwd = ROOT } = {}) {
  const done = spawnSync(program, args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', show ? 2 : 'pipe', show ? 2 : 'pipe'],
  });
  const output = `${done.stdout ?? ''}${done.stderr ?? ''}`.trim();
  return { ok: done.status === 0, output, why: done.status === 0 ? '' : reason(program, done, output) };
}

function reason(program, done, output) {
  if (done.error?.code === 'ENOENT') return `${program} is not installed`;
  if (done.error) return `${program}: ${done.error.message}`;
  const lines = output.split('\n').map((line) => line.trim());
  const telling = lines.findLast((line) => /error|fail|not found|unable|denied/i.test(line)) ?? lines.findLast((line) => line !== '');
  const end = done.signal ? `was ended by ${done.signal}` : `ended with ${done.status}`;
  return `${program} ${end}${telling ? `: ${telling.slice(0, 300)}` : ''}`;
}

/** Does `work`, saying what it is and how long it took. Out: what `work` gives. */
export function timed(what, work) {
  say(`${what} ...`);
  const start = performance.now();
  const result = work();
  say(`${what} took ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}

/** Runs a script's main function: a Problem is printed as it is, and the exit code is 1. */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Whether the module with this `import.meta.url` is the program that Node was started with. */
export function isProgram(url) {
  return process.argv[1] !== undefined && fileURLToPath(url) === realpathSync(process.argv[1]);
}
