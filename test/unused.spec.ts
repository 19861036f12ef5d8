import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { it, type TestContext } from 'node:test';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const GOOD = {
  'package.json': JSON.stringify({ name: 'sample', type: 'module', dependencies: { yaml: '1.0.0' } }),
  'cmd/zone/main.ts': "import { parse } from 'yaml';\nimport { a } from '../../src/a.ts';\nparse(a);\n",
  'src/a.ts': "export const a = '';\n",
};

/** What knip says of a project of these files, by our knip.json. '' when nothing is unused. */
function unused(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'meridian-unused-'));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(join(ROOT, 'knip.json'), join(folder, 'knip.json'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const knip = join(ROOT, 'node_modules', 'knip', 'bin', 'knip.js');
  const { stdout, stderr } = spawnSync(process.execPath, [knip, '--no-progress', '--no-config-hints'], { cwd: folder, encoding: 'utf8' });
  return stdout + stderr;
}

it('knip finds files, exports, types and dependencies that nothing uses, by our settings', (t) => {
  assert.equal(unused(t, GOOD), '');
  const bad = {
    ...GOOD,
    'package.json': JSON.stringify({ name: 'sample', type: 'module', dependencies: { yaml: '1.0.0', zod: '1.0.0' } }),
    'src/a.ts': "export const a = '';\nexport const lonely = '';\nexport interface Alone {}\n",
    'src/dead.ts': 'export const dead = 1;\n',
  };
  const said = unused(t, bad);
  for (const expected of [/Unused files.*\s.*src\/dead\.ts/, /Unused dependencies.*\s.*zod/, /lonely.*src\/a\.ts/, /Alone.*src\/a\.ts/]) {
    assert.match(said, expected);
  }
});
