import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { OTHERS } from '../resource/audience.ts';
import { requireDurable } from './database.ts';
import { MIGRATIONS } from './migrations.ts';
import { openSnapshot, openStore, type SqliteStore } from './open-store.ts';
import { key, PEERS, resource } from '../../test/harness/sample-store.ts';
import { freshPath, OPTIONS } from '../../test/harness/test-store.ts';

function put(store: SqliteStore, name: string): void {
  store.commit((tx) => tx.put(resource(key(name)), OTHERS, name));
}

function closed(t: TestContext, store: SqliteStore): SqliteStore {
  t.after(() => store.close());
  return store;
}

test('folder and files are for their owner only, also those that were there with another mode', (t) => {
  const path = freshPath(t);
  openStore(path, OPTIONS).close();
  chmodSync(path, 0o644);
  put(closed(t, openStore(path, OPTIONS)), 'a');
  const folder = dirname(path);
  const mode = (file: string): string => (statSync(file).mode & 0o777).toString(8);
  assert.equal(mode(folder), '700');
  const files = readdirSync(folder).sort();
  assert.deepEqual(files, ['meridian.db', 'meridian.db-shm', 'meridian.db-wal', 'meridian.lock']);
  for (const file of files) assert.equal(mode(join(folder, file)), '600', file);
});

test('a data directory is open once: the second is refused by its name, and the first still holds', (t) => {
  const path = freshPath(t);
  const first = openStore(path, OPTIONS);
  const conflict = { code: 'conflict', message: `the data directory ${dirname(path)} is in use by another process` };
  for (let i = 0; i < 3; i += 1) assert.throws(() => openStore(path, OPTIONS), conflict);
  assert.throws(() => openStore(join(dirname(path), 'other.db'), OPTIONS), conflict);
  put(first, 'a');
  first.close();
  assert.ok(closed(t, openStore(path, OPTIONS)).get(key('a')));
});

test('a failed start frees the data directory', (t) => {
  const path = freshPath(t);
  mkdirSync(dirname(path));
  writeFileSync(path, 'not a database, and long enough to be none'.repeat(40));
  assert.throws(() => openStore(path, OPTIONS), { code: 'invalid' });
  closed(t, openStore(join(dirname(path), 'fresh.db'), OPTIONS));
});

/** Where a page is that nothing at the start needs: only a check sees what is wrong with it. */
function leafOfResources(path: string): [start: number, end: number] {
  const db = new Database(path);
  const select = db.prepare<[], number>(`SELECT max(pageno) FROM dbstat WHERE name = 'resources' AND pagetype = 'leaf'`);
  const page = select.pluck().get() ?? 0;
  db.close();
  return [(page - 1) * 4096, page * 4096];
}

test('a foreign, damaged or newer file is refused and stays as it is', async (t) => {
  const spoil: Record<string, { code: string; message: RegExp; by: (path: string) => void }> = {
    text: { code: 'invalid', message: /not a database/, by: (path) => writeFileSync(path, 'plain text '.repeat(400)) },
    'another program': {
      code: 'invalid',
      message: /of another program/,
      by(path) {
        writeFileSync(path, '');
        new Database(path).exec('CREATE TABLE theirs (x)').close();
      },
    },
    'a newer Meridian': {
      code: 'invalid',
      message: new RegExp(`has schema ${MIGRATIONS.length + 1}, this Meridian knows ${MIGRATIONS.length}`),
      by: (path) => new Database(path).exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`).close(),
    },
    'a page of resources overwritten': {
      code: 'invalid',
      message: /damaged/,
      by: (path) => writeFileSync(path, readFileSync(path).fill(0xa5, ...leafOfResources(path))),
    },
    'empty but for a byte': { code: 'invalid', message: /not a database|damaged/, by: (path) => writeFileSync(path, 'S') },
    'cut off': { code: 'invalid', message: /damaged/, by: (path) => writeFileSync(path, readFileSync(path).subarray(0, 5 * 4096)) },
  };
  for (const [what, { code, message, by }] of Object.entries(spoil)) {
    await t.test(what, (t) => {
      const path = freshPath(t);
      const store = openStore(path, OPTIONS);
      for (let i = 0; i < 50; i += 1) put(store, `n${i}`);
      store.close();
      by(path);
      const bytes = readFileSync(path);
      assert.throws(() => openStore(path, OPTIONS), { name: 'MeridianError', code, message });
      assert.ok(readFileSync(path).equals(bytes), 'not written to');
      assert.throws(() => openSnapshot(bytes, OPTIONS), { name: 'MeridianError', code, message });
    });
  }
});

test('a path that can not hold a database is `unavailable`', (t) => {
  const path = freshPath(t);
  mkdirSync(path, { recursive: true });
  assert.throws(() => openStore(path, OPTIONS), { name: 'MeridianError', code: 'unavailable' });
  writeFileSync(join(path, 'file'), '');
  assert.throws(() => openStore(join(path, 'file', 'a.db'), OPTIONS), { name: 'MeridianError', code: 'unavailable' });
  assert.throws(() => openStore(join(path, 'file', 'folder', 'a.db'), OPTIONS), { name: 'MeridianError', code: 'unavailable' });
  symlinkSync(join(path, 'nowhere'), join(path, 'link'));
  assert.throws(() => openStore(join(path, 'link', 'a.db'), OPTIONS), { name: 'MeridianError', code: 'unavailable' });
});

// Node's own mkdir never ends there, with one core at 100 %: hence a process that can be ended.
test('a file system that holds no folders is `unavailable`, at once', {
  skip: process.platform !== 'linux' && 'only Linux has /proc',
}, () => {
  const script = `import { openStore } from ${JSON.stringify(import.meta.resolve('./open-store.ts'))};
    try { openStore(process.argv[1], { random: () => 'aa' }); } catch (thrown) { console.log(thrown.code, thrown.hint); }`;
  for (const path of ['/proc/meridian/a.db', '/proc/self/a/b/c.db', '/proc/a.db', '/dev/full/a.db', '/dev/full/a/b.db']) {
    const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', script, path], {
      encoding: 'utf8',
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
    assert.equal(signal, null, path);
    assert.match(stdout, /^unavailable Give dataDir/, path);
  }
});

test('commits wait for the disk, after the first as after many', (t) => {
  const opened: Database.Database[] = [];
  const pragma = Database.prototype.pragma;
  t.mock.method(Database.prototype, 'pragma', function (this: Database.Database, ...args: Parameters<typeof pragma>) {
    opened.push(this);
    return pragma.apply(this, args);
  });
  const store = closed(t, openStore(freshPath(t), OPTIONS));
  const db = opened.at(-1);
  assert.ok(db);
  for (let i = 0; i < 1_500; i += 1) put(store, `n${i}`);
  assert.deepEqual([db.pragma('journal_mode', { simple: true }), db.pragma('synchronous', { simple: true })], ['wal', 2]);
  requireDurable(db);
  db.pragma('synchronous = NORMAL');
  assert.throws(() => requireDurable(db), { code: 'internal', message: /synchronous is not FULL/ });
});

test('readers are never blocked: not by a commit under way, nor does a long read hold up commits', (t) => {
  const path = freshPath(t);
  const store = closed(t, openStore(path, OPTIONS));
  put(store, 'a');
  const reader = new Database(path, { readonly: true, timeout: 0 });
  t.after(() => reader.close());
  const count = reader.prepare('SELECT count(*) FROM resources').pluck();
  store.commit((tx) => {
    tx.put(resource(key('b')), OTHERS, 'b');
    assert.equal(count.get(), 1);
  });
  assert.equal(count.get(), 2);
  reader.exec('BEGIN');
  assert.equal(count.get(), 2);
  for (let i = 0; i < 50; i += 1) put(store, `n${i}`);
  assert.equal(count.get(), 2);
  reader.exec('COMMIT');
  assert.equal(count.get(), 52);
});

test('a store that another program holds against writing is `unavailable`, and can be written to afterwards', (t) => {
  const path = freshPath(t);
  const store = closed(t, openStore(path, OPTIONS));
  const other = new Database(path);
  t.after(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  assert.throws(() => put(store, 'a'), { name: 'MeridianError', code: 'unavailable' });
  other.exec('ROLLBACK');
  put(store, 'a');
  assert.equal(store.head().revision, 1);
});

test('everything is there after a restart, the digests too', (t) => {
  const path = freshPath(t);
  const first = openStore(path, OPTIONS);
  first.commit((tx) => {
    tx.put(resource(key('a', 'west')), OTHERS, 'a');
    tx.put(resource(key('b')), { to: 'only', zone: 'east' }, 'b');
  });
  first.commit((tx) => tx.delete(key('b')));
  const facts = (store: SqliteStore) => PEERS.flatMap((peer) => [0, 1, 2].map((r) => store.feed.summaryAt(peer, r)));
  const [head, before] = [first.head(), facts(first)];
  first.close();
  const second = closed(t, openStore(path, { random: () => 'another' }));
  assert.deepEqual([second.head(), facts(second)], [head, before]);
});

test('a snapshot is the store as it was, and goes its own way, in memory or as a file', (t) => {
  const store = closed(t, openStore(freshPath(t), OPTIONS));
  put(store, 'a');
  const bytes = store.snapshot();
  put(store, 'b');
  const path = freshPath(t);
  mkdirSync(dirname(path));
  writeFileSync(path, bytes);
  for (const restored of [closed(t, openSnapshot(bytes, OPTIONS)), closed(t, openStore(path, OPTIONS))]) {
    assert.deepEqual(restored.head(), { store: 'c0ffee', term: 1, revision: 1 });
    put(restored, 'c');
    assert.deepEqual(
      ['a', 'b', 'c'].map((name) => restored.get(key(name)) !== undefined),
      [true, false, true],
    );
    assert.notDeepEqual(restored.feed.summary('east'), store.feed.summary('east'));
    assert.deepEqual(restored.feed.summaryAt('east', 1), store.feed.summaryAt('east', 1));
  }
  const inMemory = closed(t, openStore(':memory:', OPTIONS));
  put(inMemory, 'a');
  assert.deepEqual(closed(t, openSnapshot(inMemory.snapshot(), OPTIONS)).get(key('a')), inMemory.get(key('a')));
});
