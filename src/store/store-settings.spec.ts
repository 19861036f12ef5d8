import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from './open-store.ts';
import { freshPath, memory, OPTIONS } from '../../test/harness/test-store.ts';

test('settings are kept by name, found by prefix, and are no revision', (t) => {
  const store = memory(t);
  store.commit((tx) => ['peer:west', 'peer:east', 'peers', 'other', 'peer%'].forEach((name) => tx.setSetting(name, `<${name}>`)));
  store.commit((tx) => tx.setSetting('other', 'new'));
  assert.deepEqual([store.setting('other'), store.setting('none'), store.setting('peer:east')], ['new', undefined, '<peer:east>']);
  assert.deepEqual(
    [store.settingsFrom('peer:'), store.settingsFrom('peer%'), store.settingsFrom('q')],
    [['peer:east', 'peer:west'], ['peer%'], []],
  );
  assert.equal(store.head().revision, 0);
});

test('a store begins with its id, term 1 and revision 0, and keeps them', (t) => {
  const path = freshPath(t);
  const first = openStore(path, { random: () => 'aa' });
  assert.deepEqual(first.head(), { store: 'aa', term: 1, revision: 0 });
  first.commit((tx) => tx.setSetting('term', '2'));
  first.close();
  const second = openStore(path, { random: () => 'bb' });
  assert.deepEqual(second.head(), { store: 'aa', term: 2, revision: 0 });
  second.close();
});

test('the term only rises, and the id and the revision can not be set', (t) => {
  const store = openStore(':memory:', OPTIONS);
  t.after(() => store.close());
  for (const [name, value] of [
    ['term', '1'],
    ['term', '0'],
    ['term', 'x'],
    ['store', 'bb'],
    ['revision', '9'],
    ['floor', '9'],
  ] as const) {
    assert.throws(() => store.commit((tx) => tx.setSetting(name, value)), { code: 'internal' }, `${name} ${value}`);
  }
  assert.deepEqual(store.head(), { store: 'c0ffee', term: 1, revision: 0 });
});
