// node_modules: whether it is what package-lock.json says, and putting it right when it isn't.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem, ROOT, run, say, timed } from './command.mjs';

const LOADS_SQLITE = "new (require('better-sqlite3'))(':memory:').close()";

/**
 * Makes node_modules what package-lock.json says, with a better-sqlite3 that this Node can load. Does nothing when it is so.
 * Throws Problem: npm failed, or better-sqlite3 could be neither downloaded nor compiled.
 */
export function installDependencies() {
  const why = whyOutdated(ROOT);
  if (why) {
    say(`${why}: npm ci (up to 4 minutes where better-sqlite3 has to be compiled)`);
    npm('ci', '--include=dev');
  }
  if (loadsSqlite()) return;
  timed('compiling better-sqlite3 for this Node', () => npm('rebuild', 'better-sqlite3'));
  if (!loadsSqlite())
    throw new Problem(`better-sqlite3 does not load: ${run(process.execPath, ['-e', LOADS_SQLITE]).why}${missingTools()}`);
}

/**
 * Compares what npm installed (node_modules/.package-lock.json, which npm keeps) with what the lock file asks for, so that neither
 * a fresh checkout's file times nor an interrupted install mislead it. Out: why an install is needed, or ''.
 */
export function whyOutdated(folder) {
  const kept = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(kept)) return 'node_modules is missing';
  const wanted = packages(join(folder, 'package-lock.json'));
  const installed = packages(kept);
  const differing = Object.keys({ ...wanted, ...installed }).find((path) => path !== '' && !agrees(wanted[path], installed[path]));
  return differing ? `${differing} is not as package-lock.json says` : '';
}

/** A package for another platform is in the lock file only; everything else is in both, in one version. */
function agrees(wanted, installed) {
  if (!wanted) return false;
  if (!installed) return wanted.optional === true || wanted.peer === true;
  return wanted.version === installed.version && wanted.integrity === installed.integrity;
}

function packages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
}

function npm(...args) {
  const { ok, why } = run('npm', args, { show: true });
  if (!ok) throw new Problem(`npm ${args.join(' ')} failed (${why}); what npm said is above.${missingTools()}`);
}

function loadsSqlite() {
  return run(process.execPath, ['-e', LOADS_SQLITE]).ok;
}

/** better-sqlite3 is compiled where its prebuilt binary can't be downloaded: what this machine lacks for that. */
function missingTools() {
  const missing = ['python3', 'make', 'g++'].filter((tool) => !run(tool, ['--version']).ok);
  return missing.length === 0
    ? ''
    : `\nMissing here, should better-sqlite3 have to be compiled: ${missing.join(', ')} (Debian: apt-get install python3 make g++).`;
}
