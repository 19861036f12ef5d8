import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOBODY } from '../../resource/audience.ts';
import { key, resource } from '../../../test/harness/sample-store.ts';
import { memory } from '../../../test/harness/test-store.ts';

const target = key('backend', 'east', { type: 'MeshService', namespace: 'ns' });
const other = key('frontend', 'east', { type: 'MeshService', namespace: 'ns' });

test('referrers come in key order, whether or not the target exists', (t) => {
  const store = memory(t);
  store.commit((tx) => {
    tx.setReferences(key('b'), [target, other, target]);
    tx.setReferences(key('a', 'west'), [target]);
    tx.setReferences(key('a'), [target]);
  });
  assert.deepEqual(store.referrers(target), [key('a'), key('b'), key('a', 'west')]);
  assert.deepEqual(store.referrers(other), [key('b')]);
  assert.deepEqual(store.referrers(key('b')), []);
  assert.equal(store.head().revision, 0);
});

test('setting references replaces them; none, or deleting the policy, removes them', (t) => {
  const store = memory(t);
  store.commit((tx) => tx.setReferences(key('a'), [target]));
  store.commit((tx) => tx.setReferences(key('a'), [other]));
  assert.deepEqual([store.referrers(target), store.referrers(other)], [[], [key('a')]]);
  store.commit((tx) => tx.setReferences(key('a'), []));
  assert.deepEqual(store.referrers(other), []);
  store.commit((tx) => {
    tx.put(resource(key('a')), NOBODY, '');
    tx.setReferences(key('a'), [target]);
    tx.delete(key('a'));
  });
  assert.deepEqual(store.referrers(target), []);
});
