import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { OTHERS } from '../resource/audience.ts';
import { openStore } from './open-store.ts';
import { key, resource } from '../../test/harness/sample-store.ts';
import { freshPath, OPTIONS } from '../../test/harness/test-store.ts';

/** Commit n writes two resources, each in generation n, and is acknowledged on standard output once it returned. */
const PAIR = ['left', 'right'];

function writeForever(path: string): void {
  const store = openStore(path, OPTIONS);
  for (let n = store.head().revision + 1; ; n += 1) {
    store.commit((tx) => {
      for (const name of [...PAIR, `n${n}`]) tx.put(resource(key(name), { spec: { n } }), OTHERS, `${name} ${n} ${'x'.repeat(n % 3000)}`);
    });
    process.stdout.write(`${n}\n`);
  }
}

function startWriter(path: string): ChildProcessByStdio<null, Readable, null> {
  const args = [fileURLToPath(import.meta.url), path];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_TEST_CONTEXT: '' } });
}

/**
 * Kills the writer in the middle of its work, behind its `acknowledged`th commit; returns the last one that it
 * acknowledged.
 */
async function killAfter(child: ChildProcessByStdio<null, Readable, null>, acknowledged: number): Promise<number> {
  let count = 0;
  let last = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    last = Number(line);
    count += 1;
    if (count === acknowledged) child.kill('SIGKILL');
  }
  return last;
}

async function crashes(path: string): Promise<void> {
  for (const acknowledged of [1, 7, 150, 800]) {
    const child = startWriter(path);
    const exit = once(child, 'exit');
    const last = await killAfter(child, acknowledged);
    assert.deepEqual(await exit, [null, 'SIGKILL']);
    check(path, last);
  }
}

function check(path: string, last: number): void {
  const store = openStore(path, OPTIONS);
  const { revision } = store.head();
  assert.ok(revision >= last, `revision ${revision}, acknowledged ${last}`);
  for (const name of PAIR) assert.deepEqual(store.get(key(name))?.resource.spec, { n: revision });
  for (let n = 1; n <= revision; n += 1) assert.equal(store.get(key(`n${n}`))?.revision, n);
  assert.equal(store.feed.summary('east').count, revision + 2);
  assert.equal(store.feed.summaryAt('east', 0)?.count, 0);
  store.close();
  const db = new Database(path);
  assert.equal(db.pragma('integrity_check', { simple: true }), 'ok');
  db.close();
}

const path = process.argv[2];
if (path !== undefined) writeForever(path);
else {
  test('kill -9 in the middle of commits: every acknowledged one is there, none is there by half', (t) => crashes(freshPath(t)));

  test('another process that is alive keeps the data directory, one that died does not', async (t) => {
    const path = freshPath(t);
    const child = startWriter(path);
    const exit = once(child, 'exit');
    await once(child.stdout, 'data');
    assert.throws(() => openStore(path, OPTIONS), { code: 'conflict' });
    child.kill('SIGKILL');
    await exit;
    openStore(path, OPTIONS).close();
  });
}
