import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { timeout } from '../../../test/api/harness.ts';
import { type Live, startLive } from '../../../test/harness/live-meridianctl.ts';
import { meridianctl, PROGRAM, surroundings } from '../../../test/harness/meridianctl.ts';
import { Scope } from '../../../test/harness/scope.ts';
import { until } from '../../../test/harness/until.ts';
import { GLOBAL } from '../../../src/resource/resource.ts';

const scope = new Scope();
after(() => scope.close());

describe('meridianctl get -w', { concurrency: 2 }, () => {
  let live: Live;
  before(async () => {
    live = await startLive(scope, GLOBAL);
    await put('slow');
    await put('the-longest-name');
  });

  async function send(method: string, name: string, body?: object): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const init = { method, ...(body ? { headers, body: JSON.stringify(body) } : {}) };
    const { ok } = await fetch(`${live.url}/meshes/default/meshtimeouts/${name}`, init);
    assert.ok(ok, `${method} ${name}`);
  }
  const put = (name: string, labels = {}) => send('PUT', name, { ...timeout(name), labels });
  const remove = (name: string) => send('DELETE', name);

  function start(...args: string[]) {
    const child: ChildProcessByStdio<null, Readable, null> = spawn(process.execPath, [...PROGRAM, 'get', ...args, '-w'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: surroundings({ MERIDIAN_URL: live.url }),
    });
    scope.add(() => void child.kill('SIGKILL'));
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const shows = (what: RegExp) => until(`it shows ${what.source}`, async () => what.test(out) || undefined);
    const stop = async () => {
      child.kill('SIGINT');
      const [code] = (await once(child, 'exit')) as [number | null];
      return { code, out };
    };
    return { shows, stop };
  }

  it('shows what is there, then a row for each change, and ends with 0', async () => {
    const watch = start('mt', '-l', 'team!=other');
    await watch.shows(/NAME .*AGE\nslow /);
    await put('table-1');
    await watch.shows(/table-1 .*global/);
    await put('table-2', { team: 'other' });
    await put('table-1', { team: 'other' });
    await watch.shows(/table-1 .*deleted/);
    await remove('table-2');
    await put('table-3');
    await remove('table-3');
    await watch.shows(/table-3 .*deleted/);
    const { code, out } = await watch.stop();
    assert.equal(code, 0);
    assert.doesNotMatch(out, /table-2|default/, 'what is not selected, and a mesh that is the same in every row');
    const [heading = '', ...rows] = out.trimEnd().split('\n');
    const column = heading.indexOf('ORIGIN');
    assert.ok(
      rows.every((row) => row.slice(column).startsWith('global ')),
      out,
    );
  });

  it('follows one by its name, for scripts', async () => {
    await put('one');
    const watch = start('mt/one', '-o', 'jsonpath={.name}:{.labels.team}{"\\n"}');
    await watch.shows(/^one:\n/);
    await put('two');
    await put('one', { team: 'shop' });
    await watch.shows(/one:shop\n/);
    assert.equal((await watch.stop()).out, 'one:\none:shop\n');
  });

  it('says what it does not do', async () => {
    for (const words of ['all -w', 'mt -w --sort-by name', 'mt -w -o explicit', 'mt/slow mtp/x -w'])
      assert.equal((await live.run(`get ${words}`)).code, 2, words);
    assert.match((await live.run('get mt slwo -w')).err, /did you mean MeshTimeout default\/slow/);
    assert.equal((await meridianctl(['watch', '-o', 'name'])).code, 2);
  });
});
