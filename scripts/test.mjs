// `npm test`: prepares, then runs every spec file, and beside them checks the format, lint, types and what is unused.
// `npm test -- PATTERN...`: prepares, then runs only the spec files whose path contains one of the patterns.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { main, Problem, ROOT, say } from './command.mjs';
import { prepare } from './prepare.mjs';

const FOLDERS = ['src', 'cmd', 'test'];
const CHECKS = ['format', 'lint', 'types', 'page', 'unused'];
/** Those that take longest, begun first, so that at the end no core waits for one. */
const LONG = [
  'test/dashboard/page',
  'test/docs/pages',
  'test/compose',
  'test/kumactl',
  'test/side-by-side/side-by-side',
  'test/envoy/agreement',
  'test/envoy/bypass-requests',
  'test/xds-tls',
  'test/daemons',
  'test/faults/kills',
  'src/nats/nats-transport',
  'test/envoy/revocation',
  'cmd/ctl/resources/export-command',
  'test/security',
  'test/nats-limits',
  'test/hostile/hostile-zone',
  'test/credentials/zone-add',
  'test/faults/damage',
  'cmd/ctl/diff/diff-command',
  'test/scenarios',
  'test/simulator/simulator',
].map((path) => `${path}.spec.ts`);
/** Their specs start no programs: several share a process, for starting one takes longer than what most of them do. */
const SHARING = /^(src\/(config|control|kds|naming|policy|resource|runtime|store)|test\/api)\//;
const SHARERS = 8;

await main(async () => {
  const patterns = process.argv.slice(2);
  const { natsServer } = prepare();
  const files = specFiles(patterns);
  // Node keeps there what it made of a source: of some hundred processes most read the same ones.
  const env = { ...process.env, NATS_SERVER: natsServer, MERIDIAN_BUILT: 'true', NODE_COMPILE_CACHE: join(ROOT, '.tools', 'compiled') };
  if (patterns.length > 0) say('only some spec files: format, lint, types and what is unused are not checked');
  const checked = patterns.length > 0 ? { passed: true, said: '' } : runChecks();
  say(`${files.length} spec files`);
  const passed = await runSpecs(processes(files), env);
  const checks = await checked;
  if (!checks.passed) process.stderr.write(`\n${checks.said}`);
  return passed && checks.passed ? 0 : 1;
});

/** Beside the specs. Out: whether all passed, and what they said, which is shown after the specs where one did not. */
function runChecks() {
  say(`beside the specs: ${CHECKS.join(', ')}`);
  const checks = spawn(process.execPath, [join(ROOT, 'scripts', 'checks.mjs'), ...CHECKS], { stdio: ['ignore', 'pipe', 'pipe'] });
  endWithUs(checks);
  const said = [];
  for (const stream of [checks.stdout, checks.stderr]) stream.on('data', (chunk) => said.push(chunk));
  return new Promise((resolve, reject) => {
    checks.on('error', reject);
    checks.on('close', (code) => {
      say(code === 0 ? `nothing is wrong with ${CHECKS.join(', ')}` : 'npm test fails: a check found something, which is shown at the end');
      resolve({ passed: code === 0, said: Buffer.concat(said).toString() });
    });
  });
}

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
 * What a process is started for, in this order: those that take long first, so that at the end no core waits for one.
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
    const name = file.split('/', 2).join('-');
    sharing.set(name, [...(sharing.get(name) ?? []), file]);
  }
  const shared = [...sharing].flatMap(([name, group]) => parts(group).map((part, index) => together(folder, `${name}-${index + 1}`, part)));
  const alone = files.filter((file) => !SHARING.test(file));
  const long = LONG.filter((file) => alone.includes(file));
  return [...long, ...alone.filter((file) => !LONG.includes(file)), ...shared];
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

/** Out: whether all passed. */
function runSpecs(files, env) {
  const specs = spawn(process.execPath, [join(ROOT, 'scripts', 'specs.mjs'), ...files], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  endWithUs(specs);
  return new Promise((resolve, reject) => {
    specs.on('error', reject);
    specs.on('close', (code) => resolve(code === 0));
  });
}

/** A signal to us goes on to a process of ours. */
function endWithUs(child) {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
}
