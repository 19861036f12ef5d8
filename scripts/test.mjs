// `npm test`: prepares, checks the format, lints, checks types and what is unused, then runs every spec file.
// `npm test -- PATTERN...`: prepares, then runs only the spec files whose path contains one of the patterns.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { failedChecks } from './checks.mjs';
import { main, Problem, ROOT, say } from './command.mjs';
import { prepare } from './prepare.mjs';

const FOLDERS = ['src', 'cmd', 'test'];
const CHECKS = ['format', 'lint', 'types', 'page', 'unused'];
const FILE_TIMEOUT_MS = 300_000;
/** One more than the cores that are promised: many wait for what they started. */
const AT_ONCE = 3;
/** Their specs start no programs: several share a process, for starting one takes longer than what most of them do. */
const SHARING = /^(src\/(config|control|kds|naming|policy|resource|runtime|store)|test\/api)\//;
const SHARERS = 4;

await main(async () => {
  const patterns = process.argv.slice(2);
  const { natsServer } = prepare();
  const files = specFiles(patterns);
  if (patterns.length > 0) say('only some spec files: format, lint, types and what is unused are not checked');
  const failed = patterns.length > 0 ? [] : failedChecks(CHECKS);
  say(`${files.length} spec files`);
  const code = await runSpecs(processes(files), { ...process.env, NATS_SERVER: natsServer, MERIDIAN_BUILT: 'true' });
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

/**
 * What node's test runner starts a process for: spec files, and files that import some of one folder.
 *
 *   cmd/ctl/resources/get-command.spec.ts                ->  itself
 *   src/kds/item.spec.ts, src/kds/serve-pulls.spec.ts    ->  .tools/specs/src-kds-1.mjs
 */
function processes(files) {
  const folder = join(ROOT, '.tools', 'specs');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const sharing = new Map();
  for (const file of files.filter((file) => SHARING.test(file))) {
    const name = dirname(file).replaceAll('/', '-');
    sharing.set(name, [...(sharing.get(name) ?? []), file]);
  }
  const shared = [...sharing].flatMap(([name, group]) => parts(group).map((part, index) => together(folder, `${name}-${index + 1}`, part)));
  return [...files.filter((file) => !SHARING.test(file)), ...shared];
}

function parts(files) {
  return Array.from({ length: Math.ceil(files.length / SHARERS) }, (_, index) => files.slice(index * SHARERS, (index + 1) * SHARERS));
}

/** Out: the path of a file that imports these. */
function together(folder, name, files) {
  const path = join(folder, `${name}.mjs`);
  writeFileSync(path, files.map((file) => `import ${JSON.stringify(pathToFileURL(join(ROOT, file)).href)};\n`).join(''));
  return path;
}

/** Out: the exit code of node's test runner. A signal to us goes on to it. */
function runSpecs(files, env) {
  const args = ['--test', `--test-concurrency=${AT_ONCE}`, `--test-timeout=${FILE_TIMEOUT_MS}`];
  args.push(`--test-reporter=${join(ROOT, 'scripts', 'test-reporter.mjs')}`, '--test-reporter-destination=stdout', ...files);
  const runner = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => runner.kill(signal));
  return new Promise((resolve, reject) => {
    runner.on('error', reject);
    runner.on('close', (code) => resolve(code ?? 1));
  });
}
