import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startChild } from './harness/child.ts';
import { Scope } from './harness/scope.ts';
import { until } from './harness/until.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const { bin, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { bin: Record<string, string>; version: string };
// Of programs in a folder that goes away nothing is worth keeping.
process.env.NODE_DISABLE_COMPILE_CACHE = '1';
const scope = new Scope();
after(() => scope.close());

/** A program and the packages that it may look for: ws asks for two that need not be there. */
const OUTSIDE = new Set(['better-sqlite3', 'bufferutil', 'utf-8-validate']);
/** Not in the comments that say types. */
const IMPORTED =
  /^import\b.*?["']([^"']+)["'];$|^const (?:\w+|{[^}]*}) = require\("([^"]+)"\);$|^(?! +\*).*?\b(?:import|__require\d*)\(\s*["']([^"']+)["']/gm;

/** A module that makes Node say that it is of another version. */
const pretending = (version: string) =>
  `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;

describe('the built programs', () => {
  const folder = scope.folder();
  const path = (name: string) => join(folder, 'bin', name);

  before(() => {
    execFileSync(process.execPath, [join(ROOT, 'scripts/bundle.mjs'), join(folder, 'dist')]);
    cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
    for (const made of ['bin', 'elsewhere', 'node_modules']) mkdirSync(join(folder, made));
    symlinkSync(join(ROOT, 'node_modules/better-sqlite3'), join(folder, 'node_modules/better-sqlite3'));
    for (const [name, file] of Object.entries(bin)) symlinkSync(join(folder, file), path(name));
  });

  for (const [name, file] of Object.entries(bin)) {
    test(`${name} is one file, which can be run, and imports what Node has and better-sqlite3`, () => {
      accessSync(join(folder, file), constants.X_OK);
      const threads = name === 'meridianctl' ? [] : ['body-worker.js', 'body-worker.js.map'];
      assert.deepEqual(readdirSync(join(folder, dirname(file))).sort(), [...threads, 'main.js', 'main.js.map']);
      const text = readFileSync(join(folder, file), 'utf8');
      // V8 keeps each character at two bytes otherwise; and a language that nobody asks for is memory, too.
      assert.equal(/[^\0-\x7f]/.test(text), false);
      if (name !== 'meridianctl') assert.equal(text.includes('zod/v4/locales/ca.js'), false);
      const imported = [...text.matchAll(IMPORTED)].map((found) => found[1] ?? found[2] ?? found[3] ?? '');
      assert.ok(imported.includes('node:fs'));
      assert.deepEqual(
        imported.filter((one) => !isBuiltin(one) && !OUTSIDE.has(one)),
        [],
      );
    });

    for (const old of ['18.20.8', '22.17.1']) {
      test(`${name} on Node ${old} says that this is too old, and ends with 2`, () => {
        const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', pretending(old), path(name)], { encoding: 'utf8' });
        assert.deepEqual([status, stdout], [2, '']);
        assert.match(stderr, new RegExp(`^Meridian needs Node .*, and this is Node ${old} \\(.*\\)\\.\n$`));
      });
    }

    test(`${name} waits for nothing that an old Node lacks before it says so`, () => {
      const text = readFileSync(join(folder, file), 'utf8');
      assert.deepEqual(text.match(/^(import\b.*|export\b.* from .*|} from .*)$/gm), ["import { createRequire } from 'node:module';"]);
    });

    test(`${name} runs from another folder and by a link, as npx starts it`, () => {
      assert.equal(execFileSync(path(name), ['--version'], { cwd: join(folder, 'elsewhere'), encoding: 'utf8' }), `${version}\n`);
    });
  }

  for (const name of ['meridian-global', 'meridian-zone']) {
    test(`${name} serves where nothing else is installed`, async () => {
      const ports = { MERIDIAN_API_PORT: '0', MERIDIAN_DIAGNOSTICS_PORT: '0', MERIDIAN_XDS_PORT: '0' };
      const env = { PATH: process.env.PATH, ...ports, MERIDIAN_ZONE_NAME: 'east', MERIDIAN_DATA_DIR: join(folder, name) };
      const child = startChild(scope, path(name), [], env, join(folder, 'elsewhere'));
      const portOf = (component: string) =>
        until(`the ${component} listens`, () => {
          const line = child.lines.find((one) => one.includes(`"component":"${component}"`) && one.includes('"listening"'));
          return Promise.resolve(line && (JSON.parse(line) as { port: number }).port);
        });
      const { total } = (await (await fetch(`http://127.0.0.1:${await portOf('api')}/meshes`)).json()) as { total: number };
      // A zone has none before global gives it one.
      assert.equal(total, name === 'meridian-global' ? 1 : 0);
      // Longer than what is read on the loop: its thread lies beside the program.
      const body = JSON.stringify({ type: 'Mesh', name: 'x'.repeat(100_000) });
      const headers = { 'content-type': 'application/json' };
      const dry = await fetch(`http://127.0.0.1:${await portOf('api')}/apply?dryRun=true`, { method: 'POST', headers, body });
      assert.deepEqual([dry.status, (await dry.text()).includes('must be')], [400, true]);
      const metrics = await (await fetch(`http://127.0.0.1:${await portOf('diagnostics')}/metrics`)).text();
      const [, young] = /^nodejs_heap_space_size_total_bytes\{space="new"\} (\d+)$/m.exec(metrics) ?? [];
      // cmd/heap.ts: it would be 16 MB and more by now.
      assert.ok(Number(young) <= 8_000_000, `${young} bytes for what is new`);
      child.signal('SIGTERM');
      assert.equal(await child.exit, 0);
      // What V8 doesn't know, it says without asking the log.
      assert.deepEqual(
        child.lines.filter((line) => !line.startsWith('{')),
        [],
      );
    });
  }
});

describe('a build', () => {
  /** A project with one program of this text, and an empty page. */
  function project(text: string): string {
    const folder = scope.folder();
    for (const copied of ['scripts', 'src/dashboard/tsconfig.json', 'tsconfig.json'])
      cpSync(join(ROOT, copied), join(folder, copied), { recursive: true });
    for (const file of ['main.tsx', 'page.html', 'page.css', 'icon.svg']) writeFileSync(join(folder, 'src/dashboard', file), '');
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    mkdirSync(join(folder, 'cmd'));
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ type: 'module', engines: { node: '>=22.0.0' }, bin: { it: 'dist/cmd/main.js' } }),
    );
    writeFileSync(join(folder, 'package-lock.json'), '{}');
    writeFileSync(join(folder, 'cmd/other.ts'), 'export const there = 1;\n');
    writeFileSync(join(folder, 'cmd/main.ts'), text);
    return folder;
  }
  const build = (folder: string) => {
    const code = "import('./scripts/command.mjs').then(async (c) => c.main((await import('./scripts/build.mjs')).buildPrograms))";
    return spawnSync(process.execPath, ['-e', code], { cwd: folder, encoding: 'utf8' });
  };
  const runs = (folder: string) => execFileSync(process.execPath, ['dist/cmd/main.js'], { cwd: folder, encoding: 'utf8' });

  const broken: [string, string, RegExp][] = [
    ['has an error of syntax', 'const = 1;', /Expected identifier/],
    ['imports a file that is not there', "import './nowhere.ts';", /Could not resolve/],
    ['imports a package that is not there', "import 'no-such-package';", /Could not resolve/],
    ['imports a name that is not there', "import { gone } from './other.ts';\nconsole.log(gone);", /No matching export|no matching export/],
  ];
  for (const [name, text, why] of broken) {
    test(`fails when a source ${name}, and leaves the programs that were there`, () => {
      const folder = project("import { there } from './other.ts';\nconsole.log(there);\n");
      assert.equal(build(folder).status, 0);
      writeFileSync(join(folder, 'cmd/main.ts'), text);
      const { status, stderr } = build(folder);
      assert.equal(status, 1);
      assert.match(stderr, why);
      assert.match(stderr, /The sources can't be bundled/);
      assert.equal(runs(folder), '1\n');
    });
  }

  test('is made again when a source changed, and only then', () => {
    const folder = project('console.log(1);');
    build(folder);
    assert.doesNotMatch(build(folder).stderr, /building/);
    writeFileSync(join(folder, 'cmd/main.ts'), 'console.log(2);');
    assert.match(build(folder).stderr, /building/);
    assert.equal(runs(folder), '2\n');
    assert.equal(existsSync(join(folder, 'dist.old')), false);
  });
});
