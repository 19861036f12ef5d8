import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Audience, NOBODY, OTHERS } from '../../src/resource/audience.ts';
import type { Key } from '../../src/resource/key.ts';
import type { Resource } from '../../src/resource/resource.ts';
import type { Store } from '../../src/resource/store/store.ts';
import { key, resource } from '../harness/sample-store.ts';

const EAST_ONLY: Audience = { to: 'only', zone: 'east' };

function put(store: Store, of: Key, audience: Audience = OTHERS, more: Partial<Resource> = {}): void {
  store.commit((tx) => tx.put(resource(of, more), audience, audience === NOBODY ? '' : `${of.name} ${JSON.stringify(more)}`));
}

const namesOf = (resources: readonly Resource[]): string[] => resources.map(({ name }) => name);

/** The part of the contract that people ask: lists, counts, history, and who gets or lost what. */
export function listConformance(open: () => Store): void {
  it('a list is filtered by all that is asked, ordered by mesh, name and namespace, and says how many there are', () => {
    const store = open();
    const labelled = { labels: { app: 'web', env: 'prod' } };
    put(store, key('c'), OTHERS, labelled);
    put(store, key('a'), OTHERS, labelled);
    put(store, key('b', '', { mesh: 'another' }), OTHERS, labelled);
    put(store, key('d'), OTHERS, { labels: { app: 'web' }, namespace: 'ns' });
    put(store, key('e', '', { type: 'MeshRetry' }), OTHERS, labelled);
    const type = 'MeshTimeout';
    const list = (filter: object, offset = 0, size = 10) => store.list({ type, ...filter }, offset, size);
    assert.deepEqual(namesOf(list({}).items), ['b', 'a', 'c', 'd']);
    assert.deepEqual([namesOf(list({}, 1, 2).items), list({}, 1, 2).total], [['a', 'c'], 4]);
    assert.deepEqual([list({}, 9, 2).items, list({}, 9, 2).total], [[], 4]);
    assert.deepEqual(namesOf(list({ mesh: 'default' }).items), ['a', 'c', 'd']);
    assert.deepEqual(namesOf(list({ labels: { app: 'web', env: 'prod' } }).items), ['b', 'a', 'c']);
    assert.deepEqual(namesOf(list({ mesh: 'default', labels: { env: 'prod' }, nameContains: 'c' }).items), ['c']);
    assert.deepEqual(namesOf(list({ nameContains: 'd.n' }).items), ['d'], 'of the REST name, namespace included');
    assert.deepEqual(list({ labels: { app: 'we' } }).total, 0, 'the whole value');
    store.close();
  });

  it('counts resources by kind and mesh, and no insights; a row is found by what it is called here', () => {
    const store = open();
    put(store, key('a'));
    put(store, key('b', 'east'), OTHERS, { name: 'b-1', namespace: 'ns' });
    put(store, key('c', '', { mesh: 'another' }));
    put(store, key('d', 'east', { type: 'DataplaneInsight' }));
    const counts = store.counts().map(({ type, mesh, count }) => `${type} ${mesh} ${count}`);
    assert.deepEqual(counts.sort(), ['MeshTimeout another 1', 'MeshTimeout default 2']);
    assert.deepEqual(store.byName('MeshTimeout', 'default', 'ns', 'b-1')?.resource.key, key('b', 'east'));
    assert.equal(store.byName('MeshTimeout', 'default', '', 'b-1'), undefined);
    assert.deepEqual([store.has(key('a')), store.has(key('b'))], [true, false]);
    store.close();
  });

  it('the history has the last change of each key in the order of commits, a deletion with the name that it had', () => {
    const store = open();
    put(store, key('a'));
    put(store, key('b'), OTHERS, { name: 'b-1' });
    put(store, key('a'), OTHERS, { spec: { later: true } });
    store.commit((tx) => tx.delete(key('b')));
    const all = store.history.behind({ revision: 0, number: 0 }, {}, 10);
    const brief = all.changes.map((change) => [change.revision, change.key.name, change.name, change.resource?.spec]);
    const expected = [
      [3, 'a', 'a', { later: true }],
      [4, 'b', 'b-1', undefined],
    ];
    assert.deepEqual([brief, all.more], [expected, false]);
    const first = store.history.behind({ revision: 0, number: 0 }, {}, 1);
    assert.deepEqual([first.changes.length, first.more], [1, true]);
    const [change] = first.changes;
    assert.ok(change);
    assert.deepEqual(store.history.behind(change, {}, 10), { changes: all.changes.slice(1), more: false });
    assert.deepEqual(store.history.behind({ revision: 0, number: 0 }, { key: key('a') }, 10).changes, all.changes.slice(0, 1));
    assert.deepEqual(store.history.behind({ revision: 0, number: 0 }, { type: 'MeshRetry' }, 10).changes, []);
    assert.equal(store.history.reaches(0), true);
    put(store, key('b'));
    const again = store.history.behind({ revision: 3, number: 0 }, {}, 10).changes.at(-1);
    assert.deepEqual([again?.key, again?.resource?.name], [key('b'), 'b'], 'what is there again is not gone');
    store.close();
  });

  it('tells who gets what', () => {
    const store = open();
    put(store, key('a'));
    put(store, key('b'), EAST_ONLY);
    put(store, key('c'), NOBODY);
    put(store, key('d', 'east'), OTHERS, { name: 'd-1' });
    const keys = (peer: string, filter = {}) => store.sent.keys(peer, filter, 0, 10).map(({ name }) => name);
    assert.deepEqual([keys('east'), keys('west'), keys('west', { name: 'd-1' })], [['a', 'b'], ['a', 'd'], ['d']]);
    const count = store.sent.counts({});
    assert.deepEqual([count('east'), count('west'), store.sent.counts({ name: 'a' })('east')], [2, 2, 1]);
    assert.deepEqual(
      store.sent.keys('east', {}, 1, 1).map(({ name }) => name),
      ['b'],
    );
    assert.deepEqual([store.sent.exists({ name: 'c' }), store.sent.exists({ mesh: 'another' })], [true, false]);
    store.close();
  });

  it('tells who lost what: what was deleted, or is for others now', () => {
    const store = open();
    put(store, key('a'));
    put(store, key('b'));
    put(store, key('c'), NOBODY);
    const { revision } = store.head();
    put(store, key('a'), EAST_ONLY);
    store.commit((tx) => tx.delete(key('b')));
    store.commit((tx) => tx.delete(key('c')));
    const lost = store.sent.withdrawn(revision, {}, 10);
    const brief = lost.withdrawn.map((one) => [one.key.name, one.before, one.now, one.revision, one.deleted]);
    const expected = [
      ['b', OTHERS, NOBODY, revision + 2, true],
      ['a', OTHERS, EAST_ONLY, revision + 1, false],
    ];
    assert.deepEqual([brief, lost.more], [expected, false]);
    assert.ok(lost.withdrawn.every(({ since }) => since !== undefined && !Number.isNaN(Date.parse(since))));
    assert.equal(store.sent.withdrawn(revision, {}, 1).more, true);
    assert.deepEqual(store.sent.withdrawn(revision, { name: 'a' }, 10).withdrawn.length, 1);
    assert.deepEqual(store.sent.withdrawn(revision + 1, {}, 10).withdrawn.length, 1);
    put(store, key('a'));
    assert.deepEqual(
      store.sent.withdrawn(revision, { name: 'a' }, 10).withdrawn.map(({ before }) => before),
      [EAST_ONLY],
      'it is theirs again',
    );
    store.close();
  });
}
