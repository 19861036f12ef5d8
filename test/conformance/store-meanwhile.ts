import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SECRET } from '../../src/kds/cursor.ts';
import { OTHERS } from '../../src/resource/audience.ts';
import { atOnce } from '../../src/resource/store/parts.ts';
import type { Store, Transaction } from '../../src/resource/store/store.ts';
import { key, resource } from '../harness/sample-store.ts';
import { until } from '../harness/until.ts';

/**
 * The part of the contract about what is under way (a write that is only tried, who waits until the store is free), and
 * about who the store is.
 */
export function meanwhileConformance(open: () => Store, reopen: (store: Store) => Store): void {
  const put = (tx: Transaction, name: string) => tx.put(resource(key(name)), OTHERS, name);

  it('what is only tried is there for who tries it, and gone behind it', () => {
    const store = open();
    store.commit((tx) => put(tx, 'a'));
    const tried = store.tryInParts(function* (tx, before) {
      put(tx, 'b');
      yield;
      tx.delete(key('a'));
      return [tx, before, store].map((reader) => [reader.has(key('a')), reader.has(key('b'))]);
    });
    const there = [true, false];
    assert.deepEqual(atOnce(tried), [[false, true], there, there]);
    const failing = store.tryInParts(function* (tx) {
      put(tx, 'b');
      yield;
      throw new Error('aborted');
    });
    assert.throws(() => atOnce(failing), { message: 'aborted' });
    const givenUp = store.tryInParts(function* (tx) {
      put(tx, 'b');
      yield;
    });
    givenUp.next();
    givenUp.return();
    assert.deepEqual([store.has(key('a')), store.has(key('b')), store.head().revision], [...there, 1]);
    assert.equal(
      store.commit((tx) => put(tx, 'b')),
      'created',
    );
    store.close();
  });

  it('a large write that is given up leaves nothing, and who waited is called, in order, once the store is free', async () => {
    const store = open();
    const parts = store.commitInParts(function* (tx) {
      put(tx, 'a');
      yield;
    });
    // A store may do all parts at once: then it is free, and what was written is there.
    const isDone = parts.next().done === true;
    const called: string[] = [];
    for (const name of ['first', 'second']) store.whenFree(() => called.push(name));
    assert.equal(store.isFree(), isDone);
    assert.equal(called.length === 0, !isDone);
    parts.return();
    await until('those that waited are called', () => called.length === 2);
    assert.deepEqual([called, store.isFree(), store.has(key('a'))], [['first', 'second'], true, isDone]);
    store.close();
  });

  it('has a first term, which only rises, and a secret of its own', () => {
    const first = open();
    const { store: id, term, revision } = first.head();
    const secret = first.setting(SECRET) ?? '';
    assert.deepEqual([id === '', term, revision, secret === ''], [false, 1, 0, false]);
    first.commit((tx) => tx.setSetting('term', '3'));
    assert.equal(first.head().term, 3);
    assert.throws(() => first.commit((tx) => tx.setSetting('term', '2')), { code: 'internal' });
    assert.throws(() => first.commit((tx) => tx.setSetting(SECRET, 'another')), { code: 'internal' });
    const again = reopen(first);
    assert.deepEqual([again.head(), again.setting(SECRET)], [{ store: id, term: 3, revision: 0 }, secret]);
    again.close();
  });
}
