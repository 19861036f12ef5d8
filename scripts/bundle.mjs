// Makes the programs of package.json's `bin` into one file each (docs/decisions/0009). Run by build.mjs: node scripts/bundle.mjs FOLDER
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { packageFile, ROOT } from './command.mjs';

/** What stays outside: compiled for the machine that it runs on. */
const NATIVE = ['better-sqlite3'];

/**
 * What a module of CommonJS requires at run time is Node's own or NATIVE. Not minified: a stack trace says which function of ours it was, and
 * `node --enable-source-maps` says the line.
 */
const OPTIONS = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  external: NATIVE,
  banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
  sourcemap: 'linked',
  sourcesContent: false,
};

const folder = process.argv[2];
for (const program of Object.values(packageFile().bin)) {
  const source = program.replace(/^dist\//, '').replace(/\.js$/, '.ts');
  const outdir = dirname(program.replace(/^dist\//, `${folder}/`));
  await build({ ...OPTIONS, absWorkingDir: ROOT, entryPoints: [join(ROOT, source)], outdir }).catch(() => process.exit(1));
}
