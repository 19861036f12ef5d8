import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { OTHERS } from '../resource/audience.ts';
import { APPLICATION_ID, MIGRATIONS, migrate, refuseForeign } from './migrations.ts';
import { openStore } from './open-store.ts';
import { key, resource } from '../../test/harness/sample-store.ts';
import { freshPath, OPTIONS } from '../../test/harness/test-store.ts';

function schemaOf(db: Database.Database): unknown[] {
  return db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all();
}

test('every older schema is brought to the one that an empty database gets', () => {
  const fresh = new Database(':memory:');
  migrate(fresh);
  for (let version = 0; version <= MIGRATIONS.length; version += 1) {
    const db = new Database(':memory:');
    migrate(db, MIGRATIONS.slice(0, version));
    migrate(db);
    assert.deepEqual(schemaOf(db), schemaOf(fresh), `from ${version}`);
    assert.equal(db.pragma('user_version', { simple: true }), MIGRATIONS.length);
    assert.equal(db.pragma('application_id', { simple: true }), APPLICATION_ID);
  }
});

test('a store of the first schema opens with what is in it', (t) => {
  const path = freshPath(t);
  mkdirSync(dirname(path));
  const old = new Database(path);
  migrate(old, MIGRATIONS.slice(0, 1));
  old.exec(`
    INSERT INTO settings VALUES ('store', 'old'), ('term', '3'), ('revision', '7'), ('floor', '7');
    INSERT INTO keys VALUES (1, 'MeshTimeout', 'default', '', '', 'a');
    INSERT INTO resources VALUES (1, 'MeshTimeout', 'default', '', '', 'a', 'a', '', 'c', 'm', 7, '*', '${'0f'.repeat(32)}', '{}', '{}', NULL, 'w');`);
  old.close();
  const store = openStore(path, OPTIONS);
  t.after(() => store.close());
  assert.deepEqual(store.head(), { store: 'old', term: 3, revision: 7 });
  assert.equal(store.get(key('a'))?.wire, 'w');
  assert.deepEqual(store.feed.summary('east'), { count: 1, digest: '0f'.repeat(32) });
  store.commit((tx) => {
    tx.put(resource(key('b')), OTHERS, 'b');
    tx.assignName(key('b'), 'b-x');
    tx.mirror.put('east', { key: key('b'), wire: 'w', hash: 'h', term: 1 });
  });
  assert.equal(store.head().revision, 8);
});

test('a step that fails leaves the schema before it, and goes through when it is put right', () => {
  const db = new Database(':memory:');
  const good = 'CREATE TABLE one (x)';
  assert.throws(() => migrate(db, [good, 'CREATE TABLE two (x); CREATE TABLE one (x)']), /already exists/);
  assert.equal(db.pragma('user_version', { simple: true }), 1);
  assert.deepEqual(schemaOf(db).length, 1);
  migrate(db, [good, 'CREATE TABLE two (x)', 'CREATE TABLE three (x)']);
  assert.equal(db.pragma('user_version', { simple: true }), 3);
  refuseForeign(db, 3);
  assert.throws(() => refuseForeign(db, 2), { code: 'invalid' });
});
