import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { startApi } from '../../../src/api/server.ts';
import { recordEpoch } from '../../../src/kds/cursor.ts';
import { GLOBAL } from '../../../src/resource/resource.ts';
import { apiOn, type TestedApi, ask, timeout } from '../../../test/api/harness.ts';
import { Scope } from '../../../test/harness/scope.ts';
import { until } from '../../../test/harness/until.ts';
import { meridianctl, PROGRAM } from '../../../test/harness/meridianctl.ts';
import { openTestStore } from '../../../test/harness/test-store.ts';

const scope = new Scope();
after(() => scope.close());

/** `meridianctl watch` with these arguments, and what it wrote so far. */
function start(url: string, ...args: string[]) {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(process.execPath, [...PROGRAM, 'watch', '--url', url, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  scope.add(() => void child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = once(child, 'exit') as Promise<[number | null]>;
  return { child, ended, out: () => out, err: () => err };
}

interface ServedApi extends TestedApi {
  readonly port: number;
  stop(): Promise<void>;
}

/** A control plane on a store that outlives it. */
async function serveAt(path: string, epoch: string, port = 0): Promise<ServedApi> {
  const store = openTestStore(path);
  recordEpoch(store, epoch);
  const asked = apiOn(scope, { place: GLOBAL, store, now: () => '2026-01-01T00:00:00Z' }, undefined);
  await ask(asked, 'PUT', '/meshes/default', { type: 'Mesh', name: 'default' });
  const listening = await startApi({ ...asked.options, port });
  const stop = async () => {
    await listening.close();
    await asked.app.close();
    store.close();
  };
  return { ...asked, port: listening.port, stop };
}

const put = (port: number, name: string) =>
  fetch(`http://127.0.0.1:${port}/meshes/default/meshtimeouts/${name}`, {
    method: 'PUT',
    body: JSON.stringify(timeout(name)),
    headers: { 'content-type': 'application/json' },
  });

describe('meridianctl watch', () => {
  it('shows everything and each change, goes on after the control plane was away, and ends with 0', async () => {
    const path = join(scope.folder(), 'store.db');
    const first = await serveAt(path, 'a1');
    const url = `http://127.0.0.1:${first.port}`;
    const [people, scripts] = [start(url), start(url, 'MeshTimeout', '-o', 'json')];
    await until('the mesh is shown', () => people.out().includes('put    Mesh default (revision 1)'));
    await until('scripts are told that there is nothing', () => scripts.out().includes('"bookmark"'));
    await put(first.port, 'a');
    await until('the change is shown', () => people.out().includes('MeshTimeout default/a') && scripts.out().includes('_a_'));
    await first.stop();
    await until('it says that it tries again', () => /trying again/.test(people.err()) && /trying again/.test(scripts.err()));
    const second = await serveAt(path, 'b2', first.port);
    await put(second.port, 'b');
    await until('it goes on', () => people.out().includes('MeshTimeout default/b') && scripts.out().includes('_b_'));
    people.child.kill('SIGINT');
    scripts.child.kill('SIGTERM');
    assert.deepEqual([(await people.ended)[0], (await scripts.ended)[0]], [0, 0]);
    const ops = scripts
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { op: string; kri?: string });
    const seen = ops.filter(({ op }) => op !== 'bookmark').map(({ op, kri }) => [op, kri]);
    assert.deepEqual(seen, [
      ['reset', undefined],
      ['put', 'kri_mt_default___a_'],
      ['put', 'kri_mt_default___b_'],
    ]);
    await second.stop();
  });

  it('leaves out what is there, with --changes-only', async () => {
    const served = await serveAt(join(scope.folder(), 'store.db'), 'a1');
    const one = start(`http://127.0.0.1:${served.port}`, '--changes-only', '-o', 'json');
    await until('it is there', () => one.out().includes('"bookmark"'));
    await put(served.port, 'a');
    await until('the change is shown', () => one.out().includes('_a_'));
    assert.doesNotMatch(one.out(), /reset|kri_m_/);
    one.child.kill('SIGINT');
    assert.equal((await one.ended)[0], 0);
    await served.stop();
  });

  const refused: [title: string, args: string[], code: number, message: RegExp][] = [
    ['a control plane that is not there', ['--url', 'http://127.0.0.1:1'], 1, /no control plane answers/],
    ['yaml', ['-o', 'yaml'], 2, /-o json/],
    ['two ways to begin', ['--since', 'x', '--changes-only'], 2, /leave --changes-only out/],
  ];
  for (const [title, args, code, message] of refused) {
    it(`refuses ${title}`, async () => {
      const done = await meridianctl(['watch', ...args]);
      assert.deepEqual([done.code, done.out], [code, '']);
      assert.match(done.err, message);
    });
  }

  it('says what a control plane refuses', async () => {
    const served = await serveAt(join(scope.folder(), 'store.db'), 'a1');
    const done = await meridianctl(['watch', '--since', '-1', '--url', `http://127.0.0.1:${served.port}`]);
    assert.equal(done.code, 1);
    assert.match(done.err, /since: must be a position/);
    await served.stop();
  });
});
