// The web page of src/dashboard as the files that a browser loads: bundled, with what it needs of node_modules.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './command.mjs';

const SOURCE = join(ROOT, 'src', 'dashboard');
const AS_THEY_ARE = ['page.html', 'page.css', 'icon.svg'];

/** Writes the page into a folder. Rejects when it can't be bundled; esbuild said why. */
export async function buildPage(folder) {
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: { page: join(SOURCE, 'main.tsx') },
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    tsconfig: join(SOURCE, 'tsconfig.json'),
    logLevel: 'error',
  });
  for (const name of AS_THEY_ARE) copyFileSync(join(SOURCE, name), join(folder, name));
}
