// `npm test`: prepares, checks the format, lints, checks the types, then runs every spec file.
// `npm test -- PATTERN...`: prepares, then runs only the spec files whose path contains one of the patterns.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { main, Problem, ROOT, run, say, timed } from './command.mjs';
import { prepare } from './prepare.mjs';

const FOLDERS = ['src', 'cmd', 'test'];
const CHECKS = [
  ['format', '@biomejs/biome/bin/biome', 'format', '.'],
  ['lint', 'oxlint/bin/oxlint'],
  ['types', 'typescript/bin/tsc', '--noEmit', '-p', '.'],
];
const FILE_TIMEOUT_MS = 240_000;

await main(async () => {
  const patterns = process.argv.slice(2);
  const { natsServer } = prepare();
  const files = specFiles(patterns);
  if (patterns.length > 0) say('only some spec files: format, lint and types are not checked');
  const failed = patterns.length > 0 ? [] : failedChecks();
  const code = await runSpecs(files, { ...process.env, NATS_SERVER: natsServer, MERIDIAN_BUILT: 'true' });
  if (failed.length > 0) say(`npm test fails: ${failed.join(', ')} (see above)`);
  return code || (failed.length > 0 ? 1 : 0);
});

/** Every `*.spec.ts`, or those whose path contains one of the patterns. Throws Problem when there is none. */
function specFiles(patterns) {
  const all = FOLDERS.flatMap((folder) =>
    existsSync(join(ROOT, folder)) ? readdirSync(join(ROOT, folder), { recursive: true }).map((file) => `${folder}/${String(file)}`) : [],
  )
    .filter((file) => file.endsWith('.spec.ts'))
    .sort();
  const files = patterns.length === 0 ? all : all.filter((file) => patterns.some((pattern) => file.includes(pattern)));
  if (files.length === 0) throw new Problem(`No spec file's path contains ${patterns.join(' or ') || '.spec.ts'}.`);
  return files;
}

/** Runs all checks, so that one run shows all that is wrong. Out: the names of those that failed. */
function failedChecks() {
  const passes = ([name, program, ...args]) =>
    timed(`checking ${name}`, () => run(process.execPath, [join(ROOT, 'node_modules', program), ...args], { show: true }).ok);
  return CHECKS.filter((check) => !passes(check)).map(([name]) => name);
}

/** Out: the exit code of node's test runner. A signal to us goes on to it. */
function runSpecs(files, env) {
  say(`running ${files.length} spec files`);
  const args = ['--import', 'tsx', '--test', '--test-concurrency=2', `--test-timeout=${FILE_TIMEOUT_MS}`];
  args.push(`--test-reporter=${join(ROOT, 'scripts', 'test-reporter.mjs')}`, '--test-reporter-destination=stdout', ...files);
  const runner = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => runner.kill(signal));
  return new Promise((resolve, reject) => {
    runner.on('error', reject);
    runner.on('close', (code) => resolve(code ?? 1));
  });
}
