import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OTHERS } from '../../src/resource/audience.ts';
import type { Labels } from '../../src/resource/labels.ts';
import type { JsonObject } from '../../src/resource/resource.ts';
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

  it('a row that is put again keeps its first time of creation, and one that is as it was its last time of change', () => {
    const store = open();
    const [first, later] = ['2024-05-01T10:00:00Z', '2025-05-01T10:00:00Z'];
    const put = (at: string, wire: string) =>
      store.commit((tx) => tx.put(resource(key('a'), { creationTime: at, modificationTime: at }), OTHERS, wire));
    const times = () => {
      const { creationTime, modificationTime } = store.get(key('a'))?.resource ?? {};
      return [creationTime, modificationTime];
    };
    put(first, 'a');
    assert.deepEqual([put(later, 'a'), times()], ['unchanged', [first, first]]);
    assert.deepEqual([put(later, 'b'), times()], ['changed', [first, later]]);
    store.close();
  });

  it('the order of fields says nothing, in the item neither', () => {
    const store = open();
    const put = (labels: Labels, spec: JsonObject, wire: string) =>
      store.commit((tx) => tx.put(resource(key('a'), { labels, spec }), OTHERS, wire));
    put({ a: '1', b: '2' }, { to: [{ x: 1, y: 2 }] }, '{"a":1,"b":[2]}');
    assert.equal(put({ b: '2', a: '1' }, { to: [{ y: 2, x: 1 }] }, '{"b":[2],"a":1}'), 'unchanged');
    assert.equal(store.get(key('a'))?.wire, '{"a":1,"b":[2]}', 'what was sent stays as it was');
    assert.equal(put({ a: '1', b: '2' }, { to: [{ x: 1, y: 3 }] }, '{"a":1,"b":[3]}'), 'changed');
    store.close();
  });

  it('what changes in a row, but not in its item, is a revision, and no change of a feed', () => {
    const store = open();
    const put = (status: JsonObject) => store.commit((tx) => tx.put(resource(key('a'), { status }), OTHERS, 'a'));
    put({ seen: 1 });
    assert.deepEqual([put({ seen: 2 }), store.head().revision], ['changed', 2]);
    assert.deepEqual(store.feed.changes('east', 1, 0, 1e9), { changes: [], next: undefined });
    store.close();
  });

  it('a name that another resource of its kind has here is taken', () => {
    const store = open();
    const put = (of: string, more: object) => store.commit((tx) => tx.put(resource(key(of), { name: 'x', ...more }), OTHERS, of));
    put('a', {});
    assert.throws(() => put('b', {}), { code: 'conflict' });
    assert.deepEqual([put('b', { namespace: 'ns' }), store.has(key('b'))], ['created', true]);
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
