import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOBODY, OTHERS } from '../../resource/audience.ts';
import { compareKeys } from '../../resource/key.ts';
import type { Resource } from '../../resource/resource.ts';
import { key, resource } from '../../../test/harness/sample-store.ts';
import { memory } from '../../../test/harness/test-store.ts';

const EARLY = '2024-05-01T10:00:00Z';
const LATE = '2024-05-02T10:00:00Z';
const full = resource(key('a', 'east', { namespace: 'ns' }), {
  name: 'a-1234567890123456',
  namespace: 'kuma-system',
  labels: { app: 'x', tier: 'y' },
  spec: { to: [{ targetRef: { kind: 'Mesh', name: 'm' } }], n: 1.5, none: null },
  status: { ok: true },
});

test('a resource comes back as it was put, with its audience, item and revision', (t) => {
  const store = memory(t);
  const audience = { to: 'only', zone: 'west' } as const;
  assert.equal(
    store.commit((tx) => tx.put(full, audience, 'item')),
    'created',
  );
  const row = { resource: full, audience, wire: 'item', revision: 1 };
  assert.deepEqual(store.get(full.key), row);
  assert.deepEqual(store.byName('MeshTimeout', 'default', 'kuma-system', full.name), row);
  assert.equal(store.get(key('a', 'west', { namespace: 'ns' })), undefined);
  assert.equal(store.byName('MeshTimeout', 'default', '', full.name), undefined);
});

test('keys are compared by their parts, never joined', (t) => {
  const store = memory(t);
  const [one, other] = [key('x', 'east', { namespace: '1a' }), key('x', 'east1', { namespace: 'a' })];
  store.commit((tx) => tx.put(resource(one), NOBODY, ''));
  assert.deepEqual([store.get(other), store.has(one), store.has(other)], [undefined, true, false]);
  store.commit((tx) => tx.put(resource(other, { name: 'y' }), NOBODY, ''));
  assert.deepEqual([store.get(one)?.resource.key, store.get(other)?.resource.key], [one, other]);
});

test('a put of the same leaves modification time, revision and log alone, whatever the order of its fields', (t) => {
  const store = memory(t);
  store.commit((tx) => tx.put(full, OTHERS, 'item'));
  const again = {
    ...full,
    labels: { tier: 'y', app: 'x' },
    spec: { none: null, n: 1.5, to: [{ targetRef: { name: 'm', kind: 'Mesh' } }] },
    creationTime: LATE,
    modificationTime: LATE,
  };
  const before = store.snapshot();
  assert.equal(
    store.commit((tx) => tx.put(again, OTHERS, 'item')),
    'unchanged',
  );
  assert.deepEqual(store.get(full.key)?.resource, full);
  assert.equal(store.head().revision, 1);
  assert.ok(before.equals(store.snapshot()), 'not a byte of the database differs');
});

test('a put of anything else is a change: new modification time and revision, the creation time stays', async (t) => {
  const changes: Record<string, Partial<Resource>> = {
    name: { name: 'other' },
    namespace: { namespace: 'other' },
    'a label changed': { labels: { app: 'x', tier: 'z' } },
    'a label gone': { labels: { app: 'x' } },
    spec: { spec: { ...full.spec, n: 2 } },
    'null is a value': { spec: { to: full.spec['to'], n: 1.5 } },
    status: { status: { ok: false } },
    'status gone': { status: undefined },
  };
  for (const [what, change] of Object.entries(changes)) {
    await t.test(what, (t) => {
      const store = memory(t);
      store.commit((tx) => tx.put(full, OTHERS, 'item'));
      const next = { ...full, ...change, creationTime: LATE, modificationTime: LATE };
      assert.equal(
        store.commit((tx) => tx.put(next, OTHERS, 'item')),
        'changed',
      );
      const { status, ...expected } = { ...next, creationTime: EARLY };
      assert.deepEqual(store.get(full.key)?.resource, status === undefined ? expected : { ...expected, status });
      assert.equal(store.get(full.key)?.revision, 2);
    });
  }
});

test('a put of another audience or item is a change', (t) => {
  const store = memory(t);
  const put = (audience: typeof OTHERS, wire: string) => store.commit((tx) => tx.put(full, audience, wire));
  assert.deepEqual(
    [put(OTHERS, 'item'), put(OTHERS, 'item2'), put(NOBODY, ''), put(NOBODY, '')],
    ['created', 'changed', 'changed', 'unchanged'],
  );
  assert.equal(store.head().revision, 3);
});

test('what is for nobody keeps no item; an audience needs one, and a zone that reads as a zone', (t) => {
  const store = memory(t);
  assert.equal(
    store.commit((tx) => tx.put(full, NOBODY, 'item')),
    'created',
  );
  assert.equal(store.get(full.key)?.wire, '');
  for (const zone of ['', '*']) {
    assert.throws(() => store.commit((tx) => tx.put(full, { to: 'only', zone }, 'item')), { code: 'internal' });
  }
  assert.throws(() => store.commit((tx) => tx.put(full, OTHERS, '')), { code: 'internal' });
});

test('a name that another resource has is refused, and nothing is overwritten', (t) => {
  const store = memory(t);
  const [one, two] = [key('a', 'east'), key('a', 'west')];
  store.commit((tx) => {
    tx.put(resource(one), NOBODY, '');
    tx.put(resource(two, { name: 'b' }), NOBODY, '');
  });
  const taken = { code: 'conflict', message: /the MeshTimeout name a is taken by kri_mt_default_east__a_/ };
  assert.throws(() => store.commit((tx) => tx.put(resource(two), NOBODY, '')), taken);
  assert.throws(() => store.commit((tx) => tx.put(resource(key('a')), NOBODY, '')), taken);
  assert.deepEqual(
    store.list({ type: 'MeshTimeout' }, 0, 9).items.map((r) => [r.key.zone, r.name]),
    [
      ['east', 'a'],
      ['west', 'b'],
    ],
  );
});

test('one name may occur in every mesh, namespace and kind', (t) => {
  const store = memory(t);
  const all = [
    resource(key('a')),
    resource(key('a', '', { mesh: 'other' })),
    resource(key('a', '', { namespace: 'ns' }), { namespace: 'ns' }),
    resource(key('a', '', { type: 'MeshRetry' })),
  ];
  store.commit((tx) => all.forEach((one) => tx.put(one, NOBODY, '')));
  for (const one of all) assert.deepEqual(store.byName(one.key.type, one.key.mesh, one.namespace, one.name)?.resource, one);
});

test('delete says whether there was something, frees the name, and a new one is created anew', (t) => {
  const store = memory(t);
  assert.equal(
    store.commit((tx) => tx.delete(full.key)),
    false,
  );
  store.commit((tx) => tx.put(full, OTHERS, 'item'));
  assert.equal(
    store.commit((tx) => tx.delete(full.key)),
    true,
  );
  assert.equal(store.get(full.key), undefined);
  assert.equal(store.head().revision, 2);
  assert.equal(
    store.commit((tx) => tx.put({ ...full, creationTime: LATE }, OTHERS, 'item')),
    'created',
  );
  assert.equal(store.get(full.key)?.resource.creationTime, LATE);
});

test('each goes over a kind in key order, and commits may come in between', (t) => {
  const store = memory(t);
  const keys = ['c', 'a', 'e', 'b', 'd'].flatMap((name) => [
    key(name, 'west', { mesh: 'm2' }),
    key(name),
    key(name, '', { type: 'MeshRetry' }),
  ]);
  store.commit((tx) => keys.forEach((k) => tx.put(resource(k), NOBODY, '')));
  const mine = keys.filter((k) => k.type === 'MeshTimeout').sort(compareKeys);
  assert.deepEqual(
    [...store.each('MeshTimeout')].map((row) => row.resource.key),
    mine,
  );

  const seen = [];
  for (const row of store.each('MeshTimeout')) {
    seen.push(row.resource.key);
    store.commit((tx) => tx.put({ ...row.resource, spec: { seen: true } }, NOBODY, ''));
    if (row.resource.key.name === 'a') store.commit((tx) => tx.delete({ ...row.resource.key, name: 'b' }));
  }
  assert.deepEqual(
    seen,
    mine.filter((k) => k.name !== 'b'),
  );
});

test('counts are by kind and mesh, without the insights', (t) => {
  const store = memory(t);
  store.commit((tx) => {
    for (const name of ['a', 'b']) tx.put(resource(key(name)), NOBODY, '');
    tx.put(resource(key('a', '', { mesh: 'other' })), NOBODY, '');
    tx.put(resource(key('default', '', { type: 'Mesh', mesh: '' })), NOBODY, '');
    tx.put(resource(key('p', 'east', { type: 'DataplaneInsight' })), NOBODY, '');
  });
  assert.deepEqual(store.counts(), [
    { type: 'Mesh', mesh: '', count: 1 },
    { type: 'MeshTimeout', mesh: 'default', count: 2 },
    { type: 'MeshTimeout', mesh: 'other', count: 1 },
  ]);
});
