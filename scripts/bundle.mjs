// Makes the programs of package.json's `bin` into one file each (docs/decisions/0009), and the web page beside them.
// Run by build.mjs: node scripts/bundle.mjs FOLDER
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { packageFile, ROOT } from './command.mjs';
import { fits } from './node-range.mjs';
import { buildPage } from './page.mjs';

const { bin, engines } = packageFile();

/** What stays outside: compiled for the machine that it runs on. */
const NATIVE = ['better-sqlite3'];

/** What a program starts as a thread: a file of its own, beside it. */
const READS_BODIES = ['src/api/bodies/body-worker.ts'];
const THREADS = { 'cmd/global/main.ts': READS_BODIES, 'cmd/zone/main.ts': READS_BODIES };

/** The first that a program does, on whatever Node: it looks whether that Node fits. */
const FIRST = `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
if (!(${String(fits)})(process.versions.node, '${engines.node}')) {
  console.error('Meridian needs Node ${engines.node}, and this is Node ' + process.versions.node + ' (' + process.execPath + ').');
  process.exit(2);
}`;

/**
 * What a module requires at run time is Node's own or NATIVE. Not minified: a stack trace says which function of ours
 * it was, and `node --enable-source-maps` says the line. The target is the syntax that an older Node can read, up to
 * where FIRST says that it doesn't fit.
 */
const OPTIONS = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node18',
  external: NATIVE,
  banner: { js: FIRST },
  sourcemap: 'linked',
  sourcesContent: false,
  absWorkingDir: ROOT,
  write: false,
};

/**
 * `import { a as b } from "node:fs"`, which every other line waits for, as `const { a: b } = require("node:fs")`, which
 * comes in its turn: after FIRST. And `await import("node:http")` as `require("node:http")`: an import reads everything
 * that the module has, and so loads what Node loads on demand (for node:http an eighth of a request of meridianctl).
 */
function inTurn(text) {
  const ofNode = text.replace(/\bawait import\(("node:[a-z/]+")\)/g, 'require($1)');
  return ofNode.replace(/^import (?:(\w+)|\* as (\w+)|(\{[^}]*\})) from (".*");$/gm, (_, one, all, names, from) => {
    return `const ${one ?? all ?? names.replaceAll(' as ', ': ')} = require(${from});`;
  });
}

/**
 * Escapes what is not ASCII: esbuild leaves it in comments and regular expressions. One dash would make V8 keep the
 * whole text at two bytes a character, as long as the program runs.
 */
function inAscii(text) {
  return text.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Bundles a source into a folder. Out: the path of the file that runs. */
async function bundle(source, outdir) {
  const { outputFiles } = await build({ ...OPTIONS, entryPoints: [join(ROOT, source)], outdir }).catch(() => process.exit(1));
  mkdirSync(outdir, { recursive: true });
  for (const { path, text } of outputFiles) writeFileSync(path, path.endsWith('.js') ? inAscii(inTurn(text)) : text);
  return outputFiles.find(({ path }) => path.endsWith('.js')).path;
}

const folder = process.argv[2];
await buildPage(join(folder, 'gui')).catch(() => process.exit(1));
for (const program of Object.values(bin)) {
  const source = program.replace(/^dist\//, '').replace(/\.js$/, '.ts');
  const outdir = dirname(program.replace(/^dist\//, `${folder}/`));
  chmodSync(await bundle(source, outdir), 0o755);
  for (const thread of THREADS[source] ?? []) await bundle(thread, outdir);
}
