import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { compareKeys, type Key, keyId } from '../../resource/key.ts';
import type { MirrorItem, Refusal } from '../../resource/store/store.ts';
import { digestOfRefusals } from '../../kds/refusal.ts';
import { openStore } from '../open-store.ts';
import { key, someKey } from '../../../test/harness/sample-store.ts';
import { freshPath, memory, OPTIONS } from '../../../test/harness/test-store.ts';

function item(of: Key, wire = 'w', term = 1): MirrorItem {
  return { key: of, wire, hash: `${wire}#`, term };
}

const REFUSAL = { hash: 'bad', since: '2024-05-01T10:00:00Z', inForce: 'previous' } as const;

function refused(of: Key): MirrorItem {
  const refusal: Refusal = { ...REFUSAL, key: of, reason: 'no such field' };
  return { ...item(of), refusal };
}

test('the mirror is a map by peer and key, in key order, and no revision', () => {
  const operation = fc.record({
    peer: fc.constantFrom('east', 'west'),
    key: someKey,
    wire: fc.option(fc.string({ minLength: 1 })),
    refuse: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(operation), (operations) => {
      const store = openStore(':memory:', OPTIONS);
      const model = { east: new Map<string, MirrorItem>(), west: new Map<string, MirrorItem>() };
      for (const { peer, key, wire, refuse } of operations) {
        const next = wire === null ? undefined : { ...(refuse ? refused(key) : item(key)), wire };
        store.commit((tx) => (next ? tx.mirror.put(peer, next) : tx.mirror.delete(peer, key)));
        if (next) model[peer as 'east'].set(keyId(key), next);
        else model[peer as 'east'].delete(keyId(key));
        assert.deepEqual(store.mirror.get(peer, key), next);
      }
      for (const peer of ['east', 'west'] as const) {
        const expected = [...model[peer].values()].sort((a, b) => compareKeys(a.key, b.key));
        assert.deepEqual([...store.mirror.each(peer)], expected);
        const refusals = expected.flatMap((one) => one.refusal ?? []);
        assert.deepEqual(store.mirror.refusals(peer), refusals);
        assert.deepEqual(store.mirror.refusals(peer, undefined, 1), refusals.slice(0, 1));
        const after = refusals[1]?.key;
        if (after) assert.deepEqual(store.mirror.refusals(peer, after), refusals.slice(2));
      }
      assert.equal(store.head().revision, 0);
      store.close();
    }),
  );
});

test('what refusals add up to is kept as they come and go, and as it was after a commit that failed', () => {
  const operation = fc.record({
    peer: fc.constantFrom('east', 'west'),
    key: someKey,
    wire: fc.option(fc.string({ minLength: 1 })),
    reason: fc.option(fc.constantFrom('no', 'nor that')),
    fails: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(operation), (operations) => {
      const store = openStore(':memory:', OPTIONS);
      for (const { peer, key, wire, reason, fails } of operations) {
        const next: MirrorItem = { ...item(key, wire ?? ''), ...(reason === null ? {} : { refusal: { ...REFUSAL, key, reason } }) };
        const write = () =>
          store.commit((tx) => {
            if (wire === null) tx.mirror.delete(peer, key);
            else tx.mirror.put(peer, next);
            if (fails) throw new Error('aborted');
          });
        if (fails) assert.throws(write);
        else write();
        for (const one of ['east', 'west']) {
          const refused = [...store.mirror.each(one)].filter(({ refusal }) => refusal !== undefined);
          assert.deepEqual(store.mirror.refusalSum(one), {
            count: refused.length,
            bytes: refused.reduce((sum, { wire }) => sum + Buffer.byteLength(wire), 0),
            digest: digestOfRefusals(refused.flatMap(({ refusal }) => refusal ?? [])),
          });
          assert.equal(store.mirror.refusedPeers().includes(one), refused.length > 0);
        }
      }
      store.close();
    }),
  );
});

test('an accepted item has no refusal any more', (t) => {
  const store = memory(t);
  store.commit((tx) => tx.mirror.put('east', refused(key('a'))));
  store.commit((tx) => tx.mirror.put('east', item(key('a'), 'w2', 2)));
  assert.deepEqual(store.mirror.get('east', key('a')), item(key('a'), 'w2', 2));
  assert.deepEqual(store.mirror.refusals('east'), []);
});

test('commits may come while a mirror is gone over', (t) => {
  const store = memory(t);
  store.commit((tx) => ['a', 'b', 'c'].forEach((name) => tx.mirror.put('east', item(key(name)))));
  const seen = [];
  for (const one of store.mirror.each('east')) {
    seen.push(one.key.name);
    store.commit((tx) => tx.mirror.delete('east', key('b')));
  }
  assert.deepEqual(seen, ['a', 'c']);
});

test('a position is kept by peer, replaced and removed', (t) => {
  const store = memory(t);
  const position = { store: 's', term: 2, revision: 7, digest: 'ab', count: 3, signature: 'sig' };
  store.commit((tx) => tx.mirror.setPosition('east', position));
  assert.deepEqual([store.mirror.position('east'), store.mirror.position('west')], [position, undefined]);
  store.commit((tx) => tx.mirror.setPosition('east', { ...position, revision: 8 }));
  assert.deepEqual(store.mirror.position('east'), { ...position, revision: 8 });
  store.commit((tx) => tx.mirror.setPosition('east', undefined));
  assert.equal(store.mirror.position('east'), undefined);
});

test('a stage keeps the last version of each key, by peer, deletes included', (t) => {
  const store = memory(t);
  const stage = (peer: string, ...parts: [string, string][]) =>
    store.commit((tx) =>
      tx.mirror.stage(
        peer,
        parts.map(([name, wire]) => ({ key: key(name), wire })),
      ),
    );
  stage('east', ['b', '1'], ['a', '1'], ['b', '2']);
  stage('east', ['a', ''], ['c', '3']);
  stage('west', ['a', '9']);
  const staged = (peer: string) => [...store.mirror.staged(peer)].map((part) => [part.key.name, part.wire]);
  assert.deepEqual(staged('east'), [
    ['a', ''],
    ['b', '2'],
    ['c', '3'],
  ]);
  store.commit((tx) => tx.mirror.clearStage('east'));
  assert.deepEqual([staged('east'), staged('west'), store.head().revision], [[], [['a', '9']], 0]);
});

test('a restart keeps mirror and position, and forgets what was staged', (t) => {
  const path = freshPath(t);
  const position = { store: 's', term: 2, revision: 7, digest: 'ab', count: 3, signature: 'sig' };
  const first = openStore(path, OPTIONS);
  first.commit((tx) => {
    tx.mirror.put('east', refused(key('a')));
    tx.mirror.setPosition('east', position);
    tx.mirror.stage('east', [{ key: key('a'), wire: 'w' }]);
  });
  first.close();
  const second = openStore(path, OPTIONS);
  t.after(() => second.close());
  assert.deepEqual([...second.mirror.each('east')], [refused(key('a'))]);
  assert.deepEqual(second.mirror.position('east'), position);
  assert.deepEqual([...second.mirror.staged('east')], []);
});
