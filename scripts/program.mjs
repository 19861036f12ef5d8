// Where a real program that the tests need comes from: the caller's, the PATH's, or one that is fetched into .tools/.
import { accessSync, chmodSync, constants, copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Problem, ROOT, run, say, timed } from './command.mjs';
import { withLock } from './lock.mjs';

const TOOLS = join(ROOT, '.tools');

/**
 * The path of a program that runs, in this order: the environment variable `variable`, `name` on the PATH,
 * .tools/`keptAs`, else fetched by the first of `ways` that works into there. `variable` is left out where only one
 * version will do. `ways`: by name, functions that get an empty folder and give `{ path }` of a program or `{ why }`
 * there is none. `whyBroken(path)` is '' for a program that will do. `advice` ends the message when there is none.
 * Throws Problem: the variable's program does not run (an explicit choice is never replaced), or nothing worked, with
 * what was tried and why each failed.
 */
export function findProgram({ name, keptAs = name, variable, ways, whyBroken, advice }) {
  const wanted = { name, own: join(TOOLS, keptAs), ways, whyBroken, advice };
  if (variable && process.env[variable]) return chosen(variable, whyBroken);
  const tried = [];
  return (variable && onPath(wanted, tried)) || withLock(`${wanted.own}.lock`, () => kept(wanted) ?? fetched(wanted, tried));
}

function chosen(variable, whyBroken) {
  const path = process.env[variable];
  const broken = whyBroken(path);
  if (broken) throw new Problem(`${variable}=${path} does not run: ${broken}. Correct the variable, or unset it to have one fetched.`);
  return path;
}

function onPath({ name, whyBroken }, tried) {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder || '.', name))
    .filter(isExecutable);
  if (found.length === 0) tried.push(`PATH: no ${name} on it`);
  for (const path of found) {
    const broken = whyBroken(path);
    if (!broken) return path;
    tried.push(`PATH: ${path} does not run: ${broken}`);
  }
  return undefined;
}

function kept({ own, whyBroken }) {
  return isExecutable(own) && !whyBroken(own) ? own : undefined;
}

/** Tries each way in a folder of its own; the result comes to its place by a rename, whole or not at all. */
function fetched(wanted, tried) {
  for (const [way, fetchInto] of Object.entries(wanted.ways)) {
    mkdirSync(TOOLS, { recursive: true });
    const folder = mkdtempSync(join(TOOLS, `${way}-`));
    try {
      const why = timed(`getting ${wanted.name} by ${way}`, () => place(wanted, fetchInto(folder)));
      if (!why) return wanted.own;
      tried.push(`${way}: ${why}`);
      say(`no ${wanted.name} by ${way}: ${why}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const lines = tried.map((line) => `  - ${line}`);
  throw new Problem([`The real ${wanted.name} is needed and could not be had. Tried:`, ...lines, wanted.advice].join('\n'));
}

/**
 * In: `{ path }` of a fetched program or `{ why }` there is none. Out: why it can't be used, or '' when it is in its
 * place.
 */
function place({ own, whyBroken }, { path, why }) {
  if (!path) return why;
  chmodSync(path, 0o755);
  const broken = whyBroken(path);
  if (broken) return `what it gave does not run: ${broken}`;
  const next = `${own}.${process.pid}`;
  copyFileSync(path, next);
  renameSync(next, own);
  return '';
}

/**
 * A way: installs a package of PyPI (pip's arguments for it: `name==version`) into the folder, without others that it
 * asks for. `find` gives what `within` gives.
 */
export function pip(requirement, find) {
  return (folder) => {
    const whys = [];
    for (const [program, ...first] of [['python3', '-m', 'pip'], ['pip3'], ['pip']]) {
      const { ok, why } = run(program, [...first, 'install', '--no-deps', '--target', folder, ...requirement]);
      if (ok) return find(folder);
      if (!whys.includes(why)) whys.push(why);
    }
    return { why: whys.join('; ') };
  };
}

/** `{ path }` of the program anywhere below a folder, or `{ why }` not. */
export function within(folder, name) {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).find((entry) => entry.isFile() && entry.name === name);
  return found ? { path: join(found.parentPath ?? found.path, found.name) } : { why: `there is no ${name} in what it gave` };
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
