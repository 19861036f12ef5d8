// dist/: the compiled programs, built again when what they are made of changed.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem, ROOT, run, timed } from './command.mjs';

const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.made-of');
const SOURCES = ['src', 'cmd', 'tsconfig.json', 'tsconfig.build.json', 'package.json', 'package-lock.json'];

/** Builds dist/ unless it was made of exactly these sources. Throws Problem when they don't compile; the old dist/ is kept then. */
export function buildPrograms() {
  const sources = digest();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) return;
  timed('building dist/', () => compile(sources));
}

/** Into a folder beside, swapped in when it is whole: programs that are starting from dist/ never read half a file. */
function compile(sources) {
  const next = `${DIST}.next`;
  rmSync(next, { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { ok, why } = run(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', next], { show: true });
  if (!ok) throw new Problem(`The sources don't compile (${why}); what tsc said is above.`);
  for (const program of Object.values(packageFile().bin)) makeExecutable(program.replace(/^dist\//, `${next}/`));
  writeFileSync(join(next, '.made-of'), sources);
  swapIn(next);
}

function swapIn(next) {
  const old = `${DIST}.old`;
  rmSync(old, { recursive: true, force: true });
  if (existsSync(DIST)) renameSync(DIST, old);
  renameSync(next, DIST);
  rmSync(old, { recursive: true, force: true });
}

function makeExecutable(file) {
  if (existsSync(file)) chmodSync(file, 0o755);
}

function packageFile() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
}

/** A digest of the paths and contents of everything that dist/ is made of. Spec files are not. */
function digest() {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap(filesOf).sort())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(ROOT, file)))
      .update('\0');
  return hash.digest('hex');
}

function filesOf(path) {
  if (path.includes('.')) return [path];
  if (!existsSync(join(ROOT, path))) return [];
  const entries = readdirSync(join(ROOT, path), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const inner = `${path}/${entry.name}`;
    if (entry.isDirectory()) return filesOf(inner);
    return entry.name.endsWith('.spec.ts') ? [] : [inner];
  });
}
