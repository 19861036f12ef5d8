import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Position } from '../resource/store/store.ts';
import { openStore } from './open-store.ts';

const position = (revision: number): Position => ({ store: 's', term: 1, revision, digest: 'd', count: 0, signature: 'x' });

test('what a commit wrote is read in it and after it; what was rolled back never was', (t) => {
  const store = openStore(':memory:', { random: () => 'ab' });
  t.after(() => store.close());
  const state = () => [store.setting('a'), store.mirror.position('east')?.revision, store.head().revision, store.head().term];
  assert.deepEqual(state(), [undefined, undefined, 0, 1]);
  store.commit((tx) => {
    tx.setSetting('a', '1');
    tx.mirror.setPosition('east', position(1));
    assert.deepEqual(state(), ['1', 1, 0, 1]);
  });
  assert.throws(() =>
    store.commit((tx) => {
      tx.setSetting('a', '2');
      tx.setSetting('term', '2');
      tx.mirror.setPosition('east', undefined);
      assert.deepEqual(state(), ['2', undefined, 0, 2]);
      throw new Error('rolled back');
    }),
  );
  assert.deepEqual(state(), ['1', 1, 0, 1]);
});

test('a long setting is read as it is, whenever', (t) => {
  const store = openStore(':memory:', { random: () => 'ab' });
  t.after(() => store.close());
  for (const text of ['x'.repeat(10_000), 'short', 'y'.repeat(10_000)]) {
    store.commit((tx) => tx.setSetting('long', text));
    assert.equal(store.setting('long'), text);
  }
});
