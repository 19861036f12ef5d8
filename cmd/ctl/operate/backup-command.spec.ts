import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { startDaemon } from '../../../test/harness/daemon.ts';
import { meridianctl } from '../../../test/harness/meridianctl.ts';
import { Scope } from '../../../test/harness/scope.ts';

const scope = new Scope();
after(() => scope.close());

const mesh = (name: string) => `type: Mesh\nname: ${name}\n`;

describe('meridianctl backup', { concurrency: 2 }, () => {
  it('copies the store of a control plane that runs and is written to; what was there at that moment is restored', async () => {
    const global = await startDaemon(scope, 'global', {});
    const apply = (name: string) => meridianctl(['apply', '-f', '-', '--url', global.url], { input: mesh(name) });
    assert.equal((await apply('before')).code, 0);
    const file = join(scope.folder(), 'meridian.db');
    const writing = Array.from({ length: 5 }, (_, index) => apply(`meanwhile-${index}`));
    const { code, out, err } = await meridianctl(['backup', global.dataDir, file]);
    assert.equal(code, 0, err);
    assert.match(out, /meridian\.db: \d+\.\d MB\n$/);
    assert.match(err, /^to restore it: .*then `meridianctl recover`\n$/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(join(file, '..')), ['meridian.db']);
    await Promise.all(writing);
    assert.equal((await apply('afterwards')).code, 0);
    await global.stop();
    for (const side of ['-wal', '-shm']) rmSync(join(global.dataDir, `meridian.db${side}`), { force: true });
    copyFileSync(file, join(global.dataDir, 'meridian.db'));
    const restored = await global.again();
    await restored.untilReady();
    const names = (await meridianctl(['get', 'meshes', '-o', 'name', '--url', restored.url])).out.split('\n');
    assert.ok(names.includes('Mesh/before') && !names.includes('Mesh/afterwards'), names.join(' '));
    await restored.stop();
    const stopped = join(scope.folder(), 'stopped.db');
    assert.equal((await meridianctl(['backup', global.dataDir, stopped])).code, 0, 'of one that is stopped too');
  });

  it('writes over nothing, and leaves nothing half done', async () => {
    const folder = scope.folder();
    const [broken, file] = [join(folder, 'broken'), join(folder, 'backup')];
    mkdirSync(broken);
    writeFileSync(join(broken, 'meridian.db'), 'this is no database, and long enough to be taken for one'.repeat(100));
    for (const [data, target, reason] of [
      [folder, file, /there is no store in/],
      [broken, join(broken, 'meridian.db'), /is there already/],
      [broken, file, /backup: .*not a database|can't be copied|damaged/],
    ] as const) {
      const { code, err } = await meridianctl(['backup', data, target]);
      assert.equal(code, 1, err);
      assert.match(err, reason);
    }
    assert.ok(!existsSync(file) && !existsSync(`${file}.part`));
    assert.equal((await meridianctl(['backup', folder])).code, 2);
  });
});
