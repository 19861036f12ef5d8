import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NOBODY } from '../../src/resource/audience.ts';
import type { AuditRecord } from '../../src/resource/store/audit.ts';
import type { Store } from '../../src/resource/store/store.ts';
import { key, resource } from '../harness/sample-store.ts';

const service = (name: string) => key(name, 'east', { type: 'MeshService' });

/** The part of the contract that stands beside the resources: references, names that are forgotten, audit, holdings. */
export function linkConformance(open: () => Store): void {
  it('knows the policies that refer to a target, there or not, until they say otherwise or are deleted', () => {
    const store = open();
    store.commit((tx) => {
      for (const name of ['a', 'b']) tx.put(resource(key(name)), NOBODY, '');
      tx.setReferences(key('a'), [service('x'), service('y')]);
      tx.setReferences(key('b'), [service('x')]);
    });
    const to = (name: string) =>
      store
        .referrers(service(name))
        .map((one) => one.name)
        .sort();
    assert.deepEqual([to('x'), to('y'), to('z')], [['a', 'b'], ['a'], []]);
    store.commit((tx) => tx.setReferences(key('a'), [service('z')]));
    assert.deepEqual([to('x'), to('y'), to('z')], [['b'], [], ['a']]);
    assert.throws(() =>
      store.commit((tx) => {
        tx.setReferences(key('b'), []);
        throw new Error('aborted');
      }),
    );
    store.commit((tx) => tx.delete(key('a')));
    assert.deepEqual([to('x'), to('z')], [['b'], []]);
    store.close();
  });

  it('a name passes to no other key, and a key gets no other name', () => {
    const store = open();
    const [one, other] = [key('a', 'east'), key('a', 'west')];
    store.commit((tx) => tx.assignName(one, 'a-x'));
    assert.throws(() => store.commit((tx) => tx.assignName(other, 'a-x')), { code: 'conflict' });
    assert.throws(() => store.commit((tx) => tx.assignName(one, 'a-y')), { code: 'conflict' });
    assert.deepEqual(
      [store.assignedName(one), store.assignedName(other), store.nameHolder('MeshTimeout', 'a-y')],
      ['a-x', undefined, undefined],
    );
    store.close();
  });

  it('forgets the names of a zone that nothing uses, a few at a time, and no others', () => {
    const store = open();
    const names = ['held', 'sent', 'meant', 'unused', 'unused-too'];
    store.commit((tx) => {
      for (const name of names) tx.assignName(key(name, 'east'), `${name}-x`);
      tx.assignName(key('unused', 'west'), 'unused-w');
      tx.put(resource(key('held', 'east')), NOBODY, '');
      tx.mirror.put('east', { key: key('sent', 'east'), wire: 'w', hash: '0a', term: 1 });
      tx.put(resource(key('p')), NOBODY, '');
      tx.setReferences(key('p'), [key('meant', 'east')]);
    });
    let after = 0;
    let steps = 0;
    do {
      after = store.commit((tx) => tx.forgetUnused('east', after, 2));
      steps += 1;
    } while (after !== 0);
    assert.ok(steps > 1, 'not all at once');
    const left = names.filter((name) => store.assignedName(key(name, 'east')) !== undefined);
    assert.deepEqual(left, ['held', 'sent', 'meant']);
    assert.equal(store.assignedName(key('unused', 'west')), 'unused-w');
    assert.deepEqual([store.nameHolder('MeshTimeout', 'unused-x'), store.holding('east').names], [undefined, 3]);
    store.close();
  });

  it('knows what a zone takes up, also after a commit that failed', () => {
    const store = open();
    const before = store.holding('east');
    assert.deepEqual(before, { resources: 0, bytes: 0, mirrored: 0, mirroredBytes: 0, keys: 0, names: 0 });
    store.commit((tx) => {
      tx.put(resource(key('a', 'east'), { labels: { a: 'b' }, spec: { é: 1 } }), NOBODY, '');
      tx.assignName(key('a', 'east'), 'a-x');
      tx.mirror.put('east', { key: key('a', 'east'), wire: 'é', hash: '0a', term: 1 });
    });
    const held = { resources: 1, bytes: '{"a":"b"}{"é":1}'.length + 1, mirrored: 1, mirroredBytes: 2, keys: 1, names: 1 };
    assert.deepEqual([store.holding('east'), store.holding('west')], [held, before]);
    assert.throws(() =>
      store.commit((tx) => {
        tx.delete(key('a', 'east'));
        throw new Error('aborted');
      }),
    );
    assert.deepEqual(store.holding('east'), held);
    store.commit((tx) => tx.delete(key('a', 'east')));
    store.commit((tx) => tx.mirror.delete('east', key('a', 'east')));
    const { resources, bytes, mirrored, mirroredBytes } = store.holding('east');
    assert.deepEqual([resources, bytes, mirrored, mirroredBytes], [0, 0, 0, 0]);
    store.close();
  });

  it('the audit is read newest first, by all that is asked, and is no revision', () => {
    const store = open();
    const about = { mesh: 'default', name: 'a', kri: '', role: 'admin', address: '::1', type: 'MeshTimeout', operation: 'put', code: '' };
    const record = (principal: string, outcome: AuditRecord['outcome']): AuditRecord => ({
      ...about,
      time: '2026-01-01T00:00:00Z',
      principal,
      outcome,
      revision: null,
    });
    store.commit((tx) => tx.recordAudit([record('ann', 'created'), record('bob', 'refused')]));
    store.commit((tx) => tx.recordAudit([record('ann', 'deleted')]));
    assert.throws(() =>
      store.commit((tx) => {
        tx.recordAudit([record('eve', 'done')]);
        throw new Error('aborted');
      }),
    );
    const all = store.audit.list({}, undefined, 10);
    const brief = all.items.map(({ principal, outcome }) => `${principal} ${outcome}`);
    assert.deepEqual([brief, all.total], [['ann deleted', 'bob refused', 'ann created'], 3]);
    const ann = store.audit.list({ principal: 'ann', type: 'MeshTimeout' }, undefined, 1);
    assert.deepEqual([ann.items.map(({ outcome }) => outcome), ann.total], [['deleted'], 2]);
    const older = store.audit.list({ principal: 'ann' }, ann.items[0]?.id, 10);
    assert.deepEqual(
      older.items.map(({ outcome }) => outcome),
      ['created'],
    );
    assert.deepEqual([store.audit.list({ outcome: 'done' }, undefined, 10).total, store.head().revision], [0, 0]);
    store.close();
  });
}
