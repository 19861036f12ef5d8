// dist/: the programs, a file each, built again when what they are made of changed. Types are for `npm run lint` and
// `npm test` to check.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem, ROOT, run, timed } from './command.mjs';

const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.made-of');
const SOURCES = [
  'src',
  'cmd',
  'scripts/bundle.mjs',
  'scripts/page.mjs',
  'scripts/node-range.mjs',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
];

/**
 * Builds dist/ unless it was made of exactly these sources. Throws Problem when they can't be bundled; the old dist/ is
 * kept then.
 */
export function buildPrograms() {
  const sources = digest();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) return;
  timed('building dist/ (types are not checked here: npm run lint)', () => bundle(sources));
}

/** Into a folder beside, swapped in when it is whole: programs that are starting from dist/ never read half a file. */
function bundle(sources) {
  const next = `${DIST}.next`;
  rmSync(next, { recursive: true, force: true });
  const { ok, why } = run(process.execPath, [join(ROOT, 'scripts', 'bundle.mjs'), next], { show: true });
  if (!ok) throw new Problem(`The sources can't be bundled (${why}); what esbuild said is above.`);
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
