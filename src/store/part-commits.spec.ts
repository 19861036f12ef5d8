import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { OTHERS } from '../resource/audience.ts';
import type { Parts } from '../resource/store/parts.ts';
import type { Transaction } from '../resource/store/store.ts';
import { key, resource } from '../../test/harness/sample-store.ts';
import { freshPath, memory, OPTIONS } from '../../test/harness/test-store.ts';
import { openStore, type SqliteStore } from './open-store.ts';

const POSITION = { store: 's', term: 1, revision: 4, digest: 'd', count: 1, signature: 'x' };

function inFile(t: TestContext): SqliteStore {
  const store = openStore(freshPath(t), OPTIONS);
  t.after(() => store.close());
  return store;
}

function* writeAll(tx: Transaction): Parts<number> {
  tx.put(resource(key('a')), OTHERS, 'a');
  tx.assignName(key('a'), 'n-a');
  yield;
  tx.delete(key('old'));
  tx.setSetting('mode', 'new');
  tx.mirror.put('east', {
    key: key('a', 'east'),
    wire: 'w',
    hash: 'h',
    term: 1,
    refusal: { key: key('a', 'east'), hash: 'h', reason: 'no', since: '', inForce: 'none' },
  });
  tx.mirror.setPosition('east', POSITION);
  yield;
  return tx.revision;
}

/** Everything that a store remembers beside its rows, too. */
function seen(store: SqliteStore): unknown {
  return {
    head: store.head(),
    rows: [...store.each('MeshTimeout')].map(({ resource: { key } }) => key.name),
    old: store.get(key('old'))?.resource.key.name,
    named: [store.assignedName(key('a')), store.nameHolder('MeshTimeout', 'n-a')?.name],
    mode: store.setting('mode'),
    mirror: [store.mirror.get('east', key('a', 'east'))?.wire, store.mirror.refusalSum('east').count, store.mirror.position('east')],
    holding: [store.holding(''), store.holding('east')],
    feed: store.feed.summary('east'),
  };
}

test('until its last part others see what was before, and then all of it', (t) => {
  const store = inFile(t);
  store.commit((tx) => {
    tx.put(resource(key('old')), OTHERS, 'old');
    tx.setSetting('mode', 'old');
  });
  const before = seen(store);
  const parts = store.commitInParts(writeAll);
  for (let step = 0; step < 2; step++) {
    assert.equal(parts.next().done, false);
    assert.deepEqual(seen(store), before);
  }
  assert.deepEqual(parts.next(), { done: true, value: 2 });
  const { holding, feed, ...now } = seen(store) as { holding: unknown; feed: { count: number } };
  assert.deepEqual(now, {
    head: { store: 'c0ffee', term: 1, revision: 2 },
    rows: ['a'],
    old: undefined,
    named: ['n-a', 'a'],
    mode: 'new',
    mirror: ['w', 1, POSITION],
  });
  assert.equal(feed.count, 1);
  assert.deepEqual(holding, [
    { resources: 1, bytes: 4, mirrored: 0, mirroredBytes: 0, keys: 2, names: 1 },
    { resources: 0, bytes: 0, mirrored: 1, mirroredBytes: 1, keys: 1, names: 0 },
  ]);
});

for (const [title, open] of [
  ['in a file', inFile],
  ['in memory', memory],
] as const) {
  test(`what is tried ${title} reads what it wrote, beside what was before, and leaves nothing`, (t) => {
    const store = open(t);
    store.commit((tx) => tx.put(resource(key('old')), OTHERS, 'old'));
    const before = seen(store);
    const parts = store.tryInParts(function* (tx, reader) {
      yield* writeAll(tx);
      assert.deepEqual([tx.has(key('a')), tx.has(key('old')), reader.has(key('a')), reader.has(key('old'))], [true, false, false, true]);
      return tx.setting('mode');
    });
    for (let step = parts.next(); ; step = parts.next()) {
      if (step.done) {
        assert.equal(step.value, 'new');
        break;
      }
      assert.deepEqual(seen(store), before);
    }
    assert.deepEqual(seen(store), before);
    assert.equal(store.isFree(), true);
    store.commit((tx) => tx.put(resource(key('a')), OTHERS, 'a'));
    assert.equal(store.feed.summary('east').count, 2);
  });
}

test('what is tried and given up leaves the store free', (t) => {
  const store = inFile(t);
  const before = seen(store);
  const parts = store.tryInParts(writeAll);
  parts.next();
  assert.throws(() => store.commit(() => {}), { code: 'unavailable' });
  parts.return(0);
  assert.deepEqual([store.isFree(), seen(store)], [true, before]);
});

test('what each of two connections remembers is right after the other has written', (t) => {
  const store = inFile(t);
  for (let round = 0; round < 3; round++) {
    const name = `n${round}`;
    store.commit((tx) => tx.setSetting('mode', name));
    const parts = store.commitInParts(function* (tx) {
      assert.equal(tx.setting('mode'), name);
      tx.setSetting('mode', `${name} in parts`);
      tx.put(resource(key(name)), OTHERS, name);
      yield;
      assert.equal(tx.feed.summary('east').count, 2 * round + 1);
    });
    parts.next();
    assert.equal(parts.next().done, true);
    assert.equal(store.setting('mode'), `${name} in parts`);
    store.commit((tx) => tx.put(resource(key(`${name}-short`)), OTHERS, name));
    assert.equal(store.head().revision, 2 * round + 2);
  }
});

test('a part that throws, and a commit that is given up, leave nothing', (t) => {
  const store = inFile(t);
  const before = seen(store);
  const boom = new Error('boom');
  const failing = store.commitInParts(function* (tx) {
    yield* writeAll(tx);
    throw boom;
  });
  failing.next();
  failing.next();
  assert.throws(() => failing.next(), boom);
  const given = store.commitInParts(writeAll);
  given.next();
  given.return(0);
  assert.deepEqual([seen(store), store.isFree()], [before, true]);
  store.commit((tx) => tx.put(resource(key('a')), OTHERS, 'a'));
});

test('while one is under way another commit is refused, and those that wait have their turns in order', async (t) => {
  const store = inFile(t);
  const order: string[] = [];
  const first = store.commitInParts(writeAll);
  const second = store.commitInParts(writeAll);
  first.next();
  const busy = { code: 'unavailable', message: /busy/ };
  assert.throws(() => store.commit(() => 1), busy);
  assert.throws(() => store.commitEach([]), busy);
  assert.throws(() => second.next(), busy);
  assert.equal(store.isFree(), false);
  const third = store.commitInParts(writeAll);
  store.whenFree(() => order.push('a'));
  store.whenFree(() => order.push(`b begins: ${third.next().done}`));
  store.whenFree(() => order.push(`c: ${store.isFree()}`));
  for (let step = first.next(); !step.done; ) step = first.next();
  assert.deepEqual(order, []);
  for (let turns = 0; turns < 3; turns++) await turn();
  assert.deepEqual(order, ['a', 'b begins: false']);
  for (let step = third.next(); !step.done; ) step = third.next();
  await turn();
  assert.deepEqual(order, ['a', 'b begins: false', 'c: true']);
  let now = false;
  store.whenFree(() => {
    now = true;
  });
  assert.ok(now);
});

test('a large write that waits begins before what came later', async (t) => {
  const store = inFile(t);
  const [first, second] = [store.commitInParts(writeAll), store.commitInParts(writeAll)];
  first.next();
  const order: string[] = [];
  void new Promise<void>((resolve) => store.whenFree(resolve)).then(() => order.push(`second begins: ${second.next().done}`));
  store.whenFree(() => order.push('later'));
  for (let step = first.next(); !step.done; ) step = first.next();
  for (let turns = 0; turns < 3; turns++) await turn();
  assert.deepEqual(order, ['second begins: false']);
  for (let step = second.next(); !step.done; ) step = second.next();
  await turn();
  assert.deepEqual(order, ['second begins: false', 'later']);
});

test('a store that is closed meanwhile keeps what was before', (t) => {
  const path = freshPath(t);
  const store = openStore(path, OPTIONS);
  const parts = store.commitInParts(writeAll);
  parts.next();
  store.close();
  assert.throws(() => parts.next(), { code: 'unavailable', message: /closed/ });
  const again = openStore(path, OPTIONS);
  t.after(() => again.close());
  assert.deepEqual([again.head().revision, again.get(key('a'))], [0, undefined]);
});

test('an iteration that began before goes on with what is there for others', (t) => {
  const store = inFile(t);
  store.commit((tx) => ['old', 'older'].forEach((name) => void tx.put(resource(key(name)), OTHERS, name)));
  const rows = store.each('MeshTimeout');
  assert.equal(rows.next().value?.resource.key.name, 'old');
  const parts = store.commitInParts(function* (tx) {
    tx.delete(key('older'));
    yield;
  });
  parts.next();
  assert.equal(rows.next().value?.resource.key.name, 'older');
  parts.return();
});

test('a store in memory has one connection: there all parts are one step', (t) => {
  const store = memory(t);
  assert.deepEqual(store.commitInParts(writeAll).next(), { done: true, value: 1 });
  assert.equal(store.setting('mode'), 'new');
});
