import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOBODY, OTHERS } from '../resource/audience.ts';
import { type Key, keyTuple } from '../resource/key.ts';
import type { Position, Store } from '../resource/store/store.ts';
import { key, resource } from '../../test/harness/sample-store.ts';
import { openTestStore, restoreTestStore } from '../../test/harness/test-store.ts';
import { makePosition, signer, recordEpoch } from './cursor.ts';
import { PAGE_BYTES, PUSH_BYTES } from './protocol.ts';
import { type Divergence, judgeCursor, makePush, type ServedPage, servePull } from './serve-pulls.ts';

const sign = signer('secret');

function put(store: Store, name: string, wire = name): void {
  store.commit((tx) => tx.put(resource(key(name)), OTHERS, wire));
}

function cursor(store: Store, peer = 'east'): Position {
  return makePosition(sign, peer, store.head(), store.feed.summary(peer));
}

function pull(store: Store, ask: Parameters<typeof servePull>[2]['ask']): ServedPage | Divergence {
  return servePull({ store, sign }, 'east', { kind: 'pull', id: '1', ask });
}

function served(answer: ServedPage | Divergence): ServedPage {
  assert.ok('body' in answer, JSON.stringify(answer));
  return answer;
}

test('a delta goes from a cursor to the head', () => {
  const store = openTestStore();
  put(store, 'a');
  const since = cursor(store);
  put(store, 'b');
  store.commit((tx) => tx.put(resource(key('a')), NOBODY, ''));
  const { body, lines } = served(pull(store, { mode: 'delta', cursor: since, after: 0 }));
  assert.deepEqual(lines, ['b', JSON.stringify(keyTuple(key('a')))]);
  assert.deepEqual(body.end, cursor(store));
});

test('whatever is committed between two pages, the last state of each key is on a page before the end', () => {
  const store = openTestStore();
  put(store, 'kept');
  const since = cursor(store);
  const half = 'x'.repeat(PAGE_BYTES / 2 + 1);
  for (const name of ['goes', 'changes', 'stays']) put(store, name, `${name}${half}`);
  const got = new Map<string, string>();
  const between = [
    () => {
      store.commit((tx) => tx.delete(key('goes')));
      put(store, 'comes', 'came');
    },
    () => put(store, 'changes', 'changed'),
  ];
  let after = 0;
  for (;;) {
    const { body, lines } = served(pull(store, { mode: 'delta', cursor: since, after }));
    for (const line of lines) {
      if (line.startsWith('[')) got.delete((JSON.parse(line) as string[])[4] ?? '');
      else
        got.set(
          /^(goes|changes|stays|comes|came|changed)/.exec(line)?.[1]?.replace('changed', 'changes').replace('came', 'comes') ?? line,
          line,
        );
    }
    if (body.end) break;
    assert.equal(typeof body.next, 'number');
    after = Number(body.next);
    between.shift()?.();
  }
  assert.deepEqual([...got.keys()].sort(), ['changes', 'comes', 'stays']);
  assert.equal(got.get('changes'), 'changed');
});

test('whose cursor it is, and what becomes of it', async (t) => {
  const store = openTestStore();
  put(store, 'a');
  const backup = store.snapshot();
  put(store, 'b');
  const theirs = cursor(store);
  const restored = (more: readonly string[]) => {
    const again = restoreTestStore(backup);
    for (const name of more) put(again, name);
    return again;
  };
  const raised = restoreTestStore(store.snapshot());
  raised.commit((tx) => tx.setSetting('term', '2'));
  const table: [title: string, at: Store, shown: Position, verdict: 'agrees' | 'unknown' | 'diverged'][] = [
    ['its own, at the head', store, theirs, 'agrees'],
    [
      'its own, behind',
      store,
      makePosition(sign, 'east', { ...store.head(), revision: 1 }, store.feed.summaryAt('east', 1) ?? assert.fail()),
      'agrees',
    ],
    ['of another store', store, { ...theirs, store: 'bb' }, 'unknown'],
    ['changed by somebody', store, { ...theirs, revision: 9 }, 'unknown'],
    ['of another zone', store, cursor(store, 'west'), 'unknown'],
    ['of an earlier term', raised, theirs, 'unknown'],
    ['of a later term', store, cursor(raised), 'diverged'],
    ['ahead of a restored store', restored([]), theirs, 'diverged'],
    ['at the same revision of another history', restored(['c']), theirs, 'diverged'],
    ['behind another history', restored(['c', 'd']), theirs, 'diverged'],
    ['where both histories are the same', restored(['b', 'c']), theirs, 'agrees'],
  ];
  for (const [title, at, shown, expected] of table) {
    await t.test(title, () => {
      const verdict = judgeCursor({ store: at, sign }, 'east', shown);
      assert.equal(typeof verdict === 'object' ? 'diverged' : verdict, expected);
      const scan = pull(at, { mode: 'scan', cursor: shown });
      assert.equal('diverged' in scan, expected === 'diverged', 'a scan is not served to one that proves a restore');
    });
  }
});

test('a store that was restored is told by the epoch that signed a cursor, though its log is pruned', () => {
  const store = openTestStore();
  const begin = (at: Store, epoch: string) => {
    recordEpoch(at, epoch);
    return signer('secret', epoch);
  };
  const pruned = (at: Store): Store => ({ ...at, feed: { ...at.feed, reaches: () => false, summaryAt: () => undefined } });
  const judged = (at: Store, shown: Position) => {
    const verdict = judgeCursor({ store: pruned(at), sign: begin(at, 'cc') }, 'east', shown);
    return typeof verdict === 'object' ? 'diverged' : verdict;
  };
  const first = begin(store, 'aa');
  put(store, 'a');
  const backup = store.snapshot();
  const before = makePosition(first, 'east', store.head(), store.feed.summary('east'));
  put(store, 'b');
  const lost = makePosition(first, 'east', store.head(), store.feed.summary('east'));
  const later = makePosition(begin(store, 'bb'), 'east', store.head(), store.feed.summary('east'));
  const restored = () => {
    const again = restoreTestStore(backup);
    recordEpoch(again, 'ff');
    for (const name of ['c', 'd', 'e']) put(again, name);
    return again;
  };
  assert.equal(judged(restored(), before), 'unknown');
  assert.equal(judged(restored(), lost), 'diverged');
  assert.equal(judged(restored(), later), 'diverged');
  assert.equal(judged(store, lost), 'unknown');
  assert.equal(judged(store, { ...lost, signature: lost.signature.replace('aa', 'bb') }), 'unknown');
});

test('a push starts only where the own log agrees', () => {
  const store = openTestStore();
  put(store, 'a');
  const base = cursor(store);
  put(store, 'b');
  const end = () => makePosition(sign, 'east', store.head(), store.feed.summary('east'));
  const push = makePush(store, 'east', base, 0, end());
  assert.deepEqual([push?.lines, push?.body.from.digest, push?.body.end], [['b'], base.digest, cursor(store)]);
  assert.equal(makePush(store, 'east', { ...base, digest: 'ff' }, 0, end()), undefined);
  assert.equal(makePush(store, 'east', { ...base, count: 7 }, 0, end()), undefined);
  assert.equal(makePush(store, 'east', { ...base, revision: 99 }, 0, end()), undefined);
  put(store, 'c', 'x'.repeat(PUSH_BYTES + 1));
  put(store, 'd', 'd');
  assert.equal(makePush(store, 'east', base, 0, end()), undefined);
});

test('a push begins at the revision before what it tells of, where nothing of the peer lies between', () => {
  const store = openTestStore();
  put(store, 'a');
  const base = cursor(store);
  for (let n = 0; n < 5; n++) store.commit((tx) => tx.put(resource(key(`w${n}`)), { to: 'only', zone: 'west' }, `w${n}`));
  const since = store.head().revision;
  put(store, 'b');
  const asked: number[] = [];
  const changes: typeof store.feed.changes = (peer, revision, ...rest) => {
    asked.push(revision);
    return store.feed.changes(peer, revision, ...rest);
  };
  const seen = { ...store, feed: { ...store.feed, changes } };
  const end = makePosition(sign, 'east', store.head(), store.feed.summary('east'));
  assert.deepEqual(makePush(seen, 'east', base, since, end)?.lines, ['b']);
  assert.deepEqual(makePush(seen, 'east', base, store.head().revision, end)?.lines, ['b'], 'what lies between is not left out');
  assert.deepEqual(asked, [since, base.revision]);
});

test('refusals are listed in pages, in key order', () => {
  const store = openTestStore();
  const names = Array.from({ length: 600 }, (_, n) => `n${String(n).padStart(3, '0')}`);
  store.commit((tx) => {
    for (const name of names) {
      const refusal = { key: key(name), hash: 'a'.repeat(64), reason: 'x'.repeat(500), since: '', inForce: 'none' as const };
      tx.mirror.put('east', { key: key(name), wire: '{}', hash: 'a'.repeat(64), term: 1, refusal });
    }
  });
  const seen: string[] = [];
  let after: Key | undefined;
  for (let pages = 1; ; pages++) {
    const { body, lines } = served(pull(store, { mode: 'refusals', ...(after ? { after: [...keyTuple(after)] as never } : {}) }));
    assert.ok(lines.join('\n').length <= PAGE_BYTES + 1_000);
    seen.push(...lines.map((line) => (JSON.parse(line) as { key: string[] }).key[4] ?? ''));
    if (!Array.isArray(body.next)) {
      assert.ok(pages > 1);
      break;
    }
    after = key(body.next[4]);
  }
  assert.deepEqual(seen, names);
});
