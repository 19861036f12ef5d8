import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOBODY } from '../../resource/audience.ts';
import { key, resource } from '../../../test/harness/sample-store.ts';
import { memory } from '../../../test/harness/test-store.ts';

test('an assigned name is for good: also after a delete, and when it is assigned again', (t) => {
  const store = memory(t);
  const one = key('a', 'east');
  store.commit((tx) => {
    tx.put(resource(one), NOBODY, '');
    tx.assignName(one, 'a-x');
  });
  store.commit((tx) => tx.delete(one));
  store.commit((tx) => tx.assignName(one, 'a-x'));
  assert.equal(store.assignedName(one), 'a-x');
  assert.deepEqual(store.nameHolder('MeshTimeout', 'a-x'), one);
});

test('a name never passes to another key, and a key never gets another name', (t) => {
  const store = memory(t);
  const [one, other] = [key('a', 'east'), key('a', 'west')];
  store.commit((tx) => tx.assignName(one, 'a-x'));
  assert.throws(() => store.commit((tx) => tx.assignName(other, 'a-x')), { code: 'conflict', message: /belongs to kri_mt_default_east/ });
  assert.throws(() => store.commit((tx) => tx.assignName(one, 'a-y')), { code: 'conflict', message: /is a-x for good/ });
  assert.deepEqual([store.assignedName(one), store.assignedName(other)], ['a-x', undefined]);
  assert.equal(store.nameHolder('MeshTimeout', 'a-y'), undefined);
});

test('a name belongs to a kind, and assigning one is no revision', (t) => {
  const store = memory(t);
  const [one, other] = [key('a', 'east'), key('a', 'east', { type: 'MeshRetry' })];
  store.commit((tx) => {
    tx.assignName(one, 'a-x');
    tx.assignName(other, 'a-x');
  });
  assert.deepEqual([store.nameHolder('MeshTimeout', 'a-x'), store.nameHolder('MeshRetry', 'a-x')], [one, other]);
  assert.equal(store.head().revision, 0);
});
