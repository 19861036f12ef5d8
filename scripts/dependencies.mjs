// node_modules: whether it is what package-lock.json says, and putting it right when it isn't.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem, ROOT, run, say } from './command.mjs';

/**
 * Makes node_modules what package-lock.json says. Does nothing when it is so. Throws Problem: npm failed. Nothing is
 * compiled, and no package's script runs (.npmrc).
 */
export function installDependencies() {
  const why = whyOutdated(ROOT);
  if (!why) return;
  say(`${why}: npm ci`);
  const { ok, why: failed } = run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], { show: true });
  if (!ok) throw new Problem(`npm ci failed (${failed}); what npm said is above.`);
}

/**
 * Compares what npm installed (node_modules/.package-lock.json, which npm keeps) with what the lock file asks for, so
 * that neither a fresh checkout's file times nor an interrupted install mislead it. Out: why an install is needed, or
 * ''.
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
