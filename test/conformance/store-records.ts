import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OTHERS } from '../../src/resource/audience.ts';
import type { Store } from '../../src/resource/store/store.ts';
import { key, resource } from '../harness/sample-store.ts';

/** The part of the contract that chance seldom meets: what is written twice, and what is in no feed. */
export function recordConformance(open: () => Store): void {
  it('what is put as it is stored is unchanged, and no revision', () => {
    const store = open();
    const put = () => store.commit((tx) => tx.put(resource(key('a')), OTHERS, 'a'));
    assert.deepEqual([put(), put()], ['created', 'unchanged']);
    assert.equal(store.head().revision, 1);
    store.close();
  });

  it('a name is given for good, settings are kept, and a commit that fails leaves neither', () => {
    const store = open();
    store.commit((tx) => tx.assignName(key('a'), 'a-1'));
    store.commit((tx) => tx.setSetting('one', '1'));
    assert.throws(() =>
      store.commit((tx) => {
        tx.assignName(key('b'), 'b-1');
        tx.setSetting('two', '2');
        throw new Error('aborted');
      }),
    );
    assert.deepEqual([store.assignedName(key('a')), store.nameHolder('MeshTimeout', 'a-1')], ['a-1', key('a')]);
    assert.deepEqual([store.assignedName(key('b')), store.setting('one'), store.setting('two')], [undefined, '1', undefined]);
    store.close();
  });

  it('the mirror keeps what each peer sent, in key order, with what is refused', () => {
    const store = open();
    const refusal = { key: key('a'), hash: '0a', reason: 'no', since: '2026-01-01T00:00:00Z', inForce: 'none' } as const;
    const item = (name: string) => ({ key: key(name), wire: name, hash: '0a', term: 1 });
    store.commit((tx) => tx.mirror.put('east', item('b')));
    store.commit((tx) => tx.mirror.put('east', { ...item('a'), refusal }));
    assert.deepEqual([...store.mirror.each('east')], [{ ...item('a'), refusal }, item('b')]);
    assert.deepEqual([store.mirror.refusals('east'), store.mirror.refusals('west')], [[refusal], []]);
    store.commit((tx) => tx.mirror.delete('east', key('a')));
    assert.deepEqual([store.mirror.refusals('east'), store.mirror.get('east', key('a')), store.head().revision], [[], undefined, 0]);
    store.close();
  });
}
