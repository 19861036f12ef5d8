import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOBODY, OTHERS } from '../resource/audience.ts';
import type { Transaction } from '../resource/store/store.ts';
import { key, PEERS, resource } from '../../test/harness/sample-store.ts';
import { freshPath, memory, OPTIONS } from '../../test/harness/test-store.ts';
import { createPrivate, openDatabase } from './database.ts';
import { createStore } from './open-store.ts';

test('a commit is one revision, whatever it holds; one that changed no resource is none', (t) => {
  const store = memory(t);
  const revisions = store.commit((tx) => {
    tx.put(resource(key('a')), OTHERS, 'a');
    tx.put(resource(key('b')), NOBODY, '');
    return [tx.revision, tx.head().revision];
  });
  assert.deepEqual([revisions, store.head().revision], [[1, 0], 1]);
  store.commit((tx) => {
    tx.put(resource(key('a')), OTHERS, 'a');
    tx.delete(key('c'));
    tx.setSetting('x', 'y');
  });
  assert.equal(store.head().revision, 1);
  store.commit((tx) => tx.put(resource(key('b'), { spec: { n: 1 } }), NOBODY, ''));
  assert.deepEqual([store.head().revision, store.get(key('a'))?.revision, store.get(key('b'))?.revision], [2, 1, 2]);
});

test('anything thrown takes all of it back: rows, revision, settings, names, mirror and digests', (t) => {
  const store = memory(t);
  store.commit((tx) => tx.put(resource(key('a')), OTHERS, 'a'));
  const before = store.snapshot();
  const summaries = PEERS.map(store.feed.summary);
  const boom = new Error('boom');
  const body = (tx: Transaction): never => {
    tx.put(resource(key('a')), { to: 'only', zone: 'east' }, 'a2');
    tx.put(resource(key('a')), OTHERS, 'a3');
    tx.put(resource(key('b', 'west')), OTHERS, 'b');
    tx.delete(key('a'));
    tx.setSetting('x', 'y');
    tx.assignName(key('a'), 'n');
    tx.mirror.put('east', { key: key('a'), wire: 'w', hash: 'h', term: 1 });
    throw boom;
  };
  assert.throws(
    () => store.commit(body),
    (thrown) => thrown === boom,
  );
  assert.deepEqual(PEERS.map(store.feed.summary), summaries);
  assert.deepEqual([store.head().revision, store.get(key('a'))?.wire, store.setting('x')], [1, 'a', undefined]);
  assert.deepEqual([store.assignedName(key('a')), store.mirror.get('east', key('a'))], [undefined, undefined]);
  store.commit((tx) => tx.setSetting('x', 'z'));
  assert.ok(store.snapshot().length === before.length);
});

test('a refused write that the body catches leaves no trace, and the commit goes on', (t) => {
  const store = memory(t);
  store.commit((tx) => {
    tx.put(resource(key('a')), OTHERS, 'a');
    assert.throws(() => tx.put(resource(key('a', 'west')), OTHERS, 'w'), { code: 'conflict' });
  });
  assert.deepEqual([store.get(key('a', 'west')), store.feed.summary('east').count], [undefined, 1]);
});

test('in a commit, reads and summaries show what was written so far', (t) => {
  const store = memory(t);
  store.commit((tx) => {
    tx.put(resource(key('a')), OTHERS, 'a');
    assert.equal(tx.get(key('a'))?.wire, 'a');
    assert.equal(tx.feed.summary('east').count, 1);
    assert.equal(tx.feed.summaryAt('east', 0)?.count, 0);
  });
});

test('one of several bodies that throws takes back what it wrote, and nothing of the others', (t) => {
  const store = memory(t);
  const boom = new Error('boom');
  const put = (name: string, more = (_tx: Transaction): void => {}) => {
    return (tx: Transaction) => {
      tx.put(resource(key(name)), OTHERS, name);
      tx.assignName(key(name), `n-${name}`);
      tx.setSetting('last', name);
      tx.mirror.put('east', { key: key(name), wire: name, hash: name, term: 1 });
      more(tx);
      return [tx.revision, tx.head().revision, tx.setting('last')];
    };
  };
  const fail = (): never => {
    throw boom;
  };
  assert.equal(store.holding('').names, 0);
  const outcomes = store.commitEach([put('a'), put('b', fail), () => [], put('c'), put('d', fail)]);
  assert.deepEqual(outcomes, [{ result: [1, 0, 'a'] }, { thrown: boom }, { result: [] }, { result: [2, 1, 'c'] }, { thrown: boom }]);
  const kept = (name: string) => [
    store.get(key(name))?.revision,
    store.assignedName(key(name)),
    store.nameHolder('MeshTimeout', `n-${name}`)?.name,
    store.mirror.get('east', key(name))?.wire,
  ];
  assert.deepEqual(['a', 'b', 'c', 'd'].map(kept), [
    [1, 'n-a', 'a', 'a'],
    [undefined, undefined, undefined, undefined],
    [2, 'n-c', 'c', 'c'],
    [undefined, undefined, undefined, undefined],
  ]);
  assert.deepEqual([store.head().revision, store.setting('last'), store.feed.summary('east').count], [2, 'c', 2]);
  assert.deepEqual([store.holding('').names, store.holding('').keys, store.holding('').resources], [2, 2, 2]);
  assert.deepEqual(
    [0, 1, 2].map((revision) => store.feed.summaryAt('east', revision)?.count),
    [0, 1, 2],
  );
});

test('a COMMIT that fails takes back all bodies, and what they looked at', (t) => {
  const db = openDatabase(':memory:');
  const store = createStore(db, OPTIONS, () => {});
  t.after(() => store.close());
  store.commit((tx) => tx.put(resource(key('old')), OTHERS, 'old'));
  const summary = store.feed.summary('east');
  const body = (name: string) => (tx: Transaction) => {
    tx.put(resource(key(name)), OTHERS, name);
    return tx.feed.summaryAt('east', tx.head().revision)?.count;
  };
  const breakCommit = (): undefined => {
    db.exec("PRAGMA defer_foreign_keys = ON; INSERT INTO names VALUES ('MeshTimeout', 'nobody', 999)");
  };
  assert.throws(() => store.commitEach([body('a'), body('b'), breakCommit]), /FOREIGN KEY/);
  assert.deepEqual([store.head().revision, store.get(key('a')), store.feed.summary('east')], [1, undefined, summary]);
  assert.deepEqual(store.commitEach<unknown>([(tx) => tx.delete(key('old')), body('c')]), [{ result: true }, { result: 0 }]);
  assert.deepEqual(
    [1, 2, 3].map((revision) => store.feed.summaryAt('east', revision)?.count),
    [1, 0, 1],
  );
});

test('a disk that is full for one of several bodies fails them all, and leaves the store as it was', (t) => {
  const path = freshPath(t);
  createPrivate(path);
  const db = openDatabase(path);
  const store = createStore(db, OPTIONS, () => {});
  t.after(() => store.close());
  const put = (name: string, bytes: number) => (tx: Transaction) =>
    void tx.put(resource(key(name), { spec: { text: 'x'.repeat(bytes) } }), OTHERS, name);
  db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + 4}`);
  assert.throws(() => store.commitEach([put('a', 10), put('b', 100_000), put('c', 10)]), { code: 'unavailable' });
  assert.deepEqual([store.head().revision, store.get(key('a')), store.feed.summary('east').count], [0, undefined, 0]);
  store.commitEach([put('a', 10), put('c', 10)]);
  assert.deepEqual([store.head().revision, store.get(key('c'))?.revision, store.feed.summary('east').count], [2, 2, 2]);
});

test('a commit within a commit, an async body, and a write outside of a commit are refused', (t) => {
  const store = memory(t);
  const internal = { code: 'internal' };
  assert.throws(() => store.commit(() => store.commit(() => 1)), internal);
  assert.throws(() => store.commit(async (tx) => tx.put(resource(key('a')), OTHERS, 'a')), internal);
  const [async] = store.commitEach([async (tx) => tx.put(resource(key('a')), OTHERS, 'a')]);
  assert.ok(async && 'thrown' in async);
  assert.throws(() => store.commit(() => store.commitEach([])), internal);
  assert.equal(store.get(key('a')), undefined);

  const tx = store.commit((open) => open);
  const writes: (() => unknown)[] = [
    () => tx.put(resource(key('a')), OTHERS, 'a'),
    () => tx.delete(key('a')),
    () => tx.assignName(key('a'), 'n'),
    () => tx.setReferences(key('a'), []),
    () => tx.setSetting('x', 'y'),
    () => tx.mirror.put('east', { key: key('a'), wire: 'w', hash: 'h', term: 1 }),
    () => tx.mirror.delete('east', key('a')),
    () => tx.mirror.stage('east', []),
    () => tx.mirror.clearStage('east'),
    () => tx.mirror.setPosition('east', undefined),
  ];
  for (const write of writes) assert.throws(write, internal, String(write));
});
