import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { MirrorItem, Store } from '../../src/resource/store/store.ts';
import { key } from '../harness/sample-store.ts';

const POSITION = { store: 's', term: 2, revision: 7, digest: 'ab', count: 3, signature: 'sig' };

const item = (name: string): MirrorItem => ({ key: key(name), wire: name, hash: '0a', term: 1 });
const refused = (name: string): MirrorItem => ({
  ...item(name),
  refusal: { key: key(name), hash: '0a', reason: 'no', since: '2026-01-01T00:00:00Z', inForce: 'previous' },
});

function staged(store: Store, peer: string): string[] {
  return [...store.mirror.staged(peer)].map((part) => `${part.key.name}=${part.wire}`);
}

/** The part of the contract that a transfer needs: what came of a peer, how far, and what is on its way. */
export function mirrorConformance(open: () => Store, reopen: (store: Store) => Store): void {
  it('a position is kept by peer, replaced and removed, also when the store is opened again', () => {
    const first = open();
    first.commit((tx) => tx.mirror.setPosition('east', POSITION));
    first.commit((tx) => tx.mirror.setPosition('west', POSITION));
    first.commit((tx) => tx.mirror.setPosition('east', { ...POSITION, revision: 8 }));
    first.commit((tx) => tx.mirror.setPosition('west', undefined));
    const store = reopen(first);
    assert.deepEqual([store.mirror.position('east'), store.mirror.position('west')], [{ ...POSITION, revision: 8 }, undefined]);
    assert.equal(store.head().revision, 0);
    store.close();
  });

  it('a stage keeps the last version of each key by peer, deletes included, and is gone when the store is opened again', () => {
    const first = open();
    const stage = (peer: string, ...parts: [name: string, wire: string][]) =>
      first.commit((tx) =>
        tx.mirror.stage(
          peer,
          parts.map(([name, wire]) => ({ key: key(name), wire })),
        ),
      );
    stage('east', ['b', '1'], ['a', '1'], ['b', '2']);
    stage('east', ['a', '']);
    stage('west', ['a', '9']);
    assert.deepEqual([staged(first, 'east'), staged(first, 'west')], [['a=', 'b=2'], ['a=9']]);
    first.commit((tx) => tx.mirror.clearStage('east'));
    assert.deepEqual([staged(first, 'east'), staged(first, 'west'), first.head().revision], [[], ['a=9'], 0]);
    const store = reopen(first);
    assert.deepEqual(staged(store, 'west'), []);
    store.close();
  });

  it('names what is refused of a peer by a digest, kept as it changes', () => {
    const store = open();
    const east = () => store.mirror.refusalSum('east');
    const none = east();
    store.commit((tx) => tx.mirror.put('west', refused('a')));
    assert.deepEqual([east(), none.count, none.digest], [none, 0, ''], 'another peer');
    store.commit((tx) => tx.mirror.put('east', refused('a')));
    const one = east();
    assert.deepEqual([one.count, one.bytes, [...store.mirror.refusedPeers()].sort()], [1, 1, ['east', 'west']]);
    assert.notEqual(one.digest, '');
    assert.throws(() =>
      store.commit((tx) => {
        tx.mirror.put('east', refused('b'));
        throw new Error('no');
      }),
    );
    assert.deepEqual(east(), one);
    store.commit((tx) => tx.mirror.put('east', item('a')));
    assert.deepEqual(east(), none);
    store.close();
  });

  it('counts what is refused of a peer by kind, kept as it changes', () => {
    const named = (type: string, name: string) => ({ ...key(name), type });
    const ofType = (type: string, name: string): MirrorItem => {
      const { refusal, ...rest } = refused(name);
      return { ...rest, key: named(type, name), refusal: refusal && { ...refusal, key: named(type, name) } };
    };
    const first = open();
    const east = (store: Store) => Object.fromEntries(store.mirror.refusedByType('east'));
    assert.deepEqual(east(first), {});
    first.commit((tx) => {
      tx.mirror.put('east', ofType('MeshTimeout', 'a'));
      tx.mirror.put('east', ofType('MeshTimeout', 'b'));
      tx.mirror.put('east', ofType('MeshRetry', 'a'));
      tx.mirror.put('east', ofType('Galaxy', 'a'));
      tx.mirror.put('east', ofType('Nebula', 'a'));
      tx.mirror.put('west', ofType('MeshTrace', 'a'));
    });
    assert.deepEqual(east(first), { MeshTimeout: 2, MeshRetry: 1, unknown: 2 });
    first.commit((tx) => {
      tx.mirror.put('east', { ...item('a'), key: named('MeshTimeout', 'a') });
      tx.mirror.delete('east', named('MeshRetry', 'a'));
      tx.mirror.delete('east', named('Galaxy', 'a'));
    });
    assert.deepEqual(east(first), { MeshTimeout: 1, unknown: 1 });
    const store = reopen(first);
    assert.deepEqual(east(store), { MeshTimeout: 1, unknown: 1 });
    store.close();
  });

  it('refusals go on after a key, and an accepted item has none', () => {
    const store = open();
    store.commit((tx) => ['a', 'b', 'c'].forEach((name) => tx.mirror.put('east', refused(name))));
    const names = (after?: string) =>
      store.mirror.refusals('east', after === undefined ? undefined : key(after)).map((one) => one.key.name);
    assert.deepEqual([names(), names('a'), names('c')], [['a', 'b', 'c'], ['b', 'c'], []]);
    store.commit((tx) => tx.mirror.put('east', item('b')));
    assert.deepEqual([names(), store.mirror.get('east', key('b'))], [['a', 'c'], item('b')]);
    store.close();
  });

  it('commits may come while a mirror is gone over', () => {
    const store = open();
    store.commit((tx) => ['a', 'b', 'c'].forEach((name) => tx.mirror.put('east', item(name))));
    const seen: string[] = [];
    for (const one of store.mirror.each('east')) {
      seen.push(one.key.name);
      store.commit((tx) => tx.mirror.delete('east', key('b')));
    }
    assert.deepEqual(seen, ['a', 'c']);
    store.close();
  });
}
