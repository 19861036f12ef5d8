import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOBODY, OTHERS } from '../resource/audience.ts';
import type { Transaction } from '../resource/store/store.ts';
import { key, memory, PEERS, resource } from '../../test/harness/sample-store.ts';

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

test('a commit within a commit, an async body, and a write outside of a commit are refused', (t) => {
  const store = memory(t);
  const internal = { code: 'internal' };
  assert.throws(() => store.commit(() => store.commit(() => 1)), internal);
  assert.throws(() => store.commit(async (tx) => tx.put(resource(key('a')), OTHERS, 'a')), internal);
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
