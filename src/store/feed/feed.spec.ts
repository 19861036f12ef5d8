import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { type Audience, NOBODY, OTHERS } from '../../resource/audience.ts';
import type { Key } from '../../resource/key.ts';
import type { FeedChange, Store } from '../../resource/store/store.ts';
import { LOOKED_AT } from './feed-changes.ts';
import { LOG_ENTRIES } from './change-log.ts';
import { openStore } from '../open-store.ts';
import { key, resource } from '../../../test/harness/sample-store.ts';
import { freshPath, memory, OPTIONS } from '../../../test/harness/test-store.ts';

const ALL = 1e9;
const EAST: Audience = { to: 'only', zone: 'east' };
const WEST: Audience = { to: 'only', zone: 'west' };

function put(store: Store, of: Key, audience: Audience, wire = of.name): void {
  store.commit((tx) => tx.put(resource(of, { name: `${of.name}-${of.zone}` }), audience, wire));
}

function brief(changes: readonly FeedChange[]): string[] {
  return changes.map(({ key, wire }) => (wire === '' ? `-${key.name}` : `+${wire}`));
}

/** Page after page, until the end. */
function pagesOf(store: Store, peer: string, revision: number): string[][] {
  const pages: string[][] = [];
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page: { readonly changes: readonly FeedChange[]; readonly next: number | undefined } = store.feed.changes(
      peer,
      revision,
      after,
      ALL,
    );
    pages.push(brief(page.changes));
    after = page.next;
  }
  return pages;
}

test('an audience that changed is a put where it is in, a delete where it was, else nothing', async (t) => {
  const rows: [before: Audience | undefined, after: Audience | undefined, east: string[], west: string[]][] = [
    [undefined, OTHERS, ['+v2'], ['+v2']],
    [undefined, NOBODY, [], []],
    [undefined, EAST, ['+v2'], []],
    [OTHERS, OTHERS, ['+v2'], ['+v2']],
    [OTHERS, EAST, ['+v2'], ['-a']],
    [OTHERS, NOBODY, ['-a'], ['-a']],
    [OTHERS, undefined, ['-a'], ['-a']],
    [EAST, WEST, ['-a'], ['+v2']],
    [EAST, NOBODY, ['-a'], []],
    [EAST, undefined, ['-a'], []],
    [NOBODY, OTHERS, ['+v2'], ['+v2']],
    [NOBODY, WEST, [], ['+v2']],
    [NOBODY, undefined, [], []],
  ];
  for (const [before, after, east, west] of rows) {
    await t.test(`${JSON.stringify(before)} -> ${JSON.stringify(after)}`, (t) => {
      const store = memory(t);
      put(store, key('other'), OTHERS);
      if (before) put(store, key('a'), before, 'v1');
      const { revision } = store.head();
      if (after) put(store, key('a'), after, 'v2');
      else store.commit((tx) => tx.delete(key('a')));
      for (const [peer, expected] of [
        ['east', east],
        ['west', west],
      ] as const) {
        assert.deepEqual(brief(store.feed.changes(peer, revision, 0, ALL).changes), expected, peer);
      }
    });
  }
});

test('what left a feed before the revision is not deleted again', (t) => {
  const store = memory(t);
  put(store, key('a'), OTHERS);
  put(store, key('a'), NOBODY);
  put(store, key('a'), WEST);
  assert.deepEqual(brief(store.feed.changes('east', 1, 0, ALL).changes), ['-a']);
  assert.deepEqual(brief(store.feed.changes('east', 2, 0, ALL).changes), []);
});

test('the origin does not get its own, not even when it is the only one meant', (t) => {
  const store = memory(t);
  put(store, key('a', 'east'), OTHERS);
  put(store, key('b', 'east'), EAST);
  assert.deepEqual(store.feed.changes('east', 0, 0, ALL).changes, []);
  assert.equal(store.feed.summary('east').count, 0);
  assert.deepEqual(store.feed.page('east', undefined, ALL).items, []);
  assert.deepEqual(brief(store.feed.changes('west', 0, 0, ALL).changes), ['+a']);
});

test('only the last state of a key is sent, in the order of the last changes, and nothing twice', (t) => {
  const store = memory(t);
  for (const [name, wire] of [
    ['a', '1'],
    ['b', '2'],
    ['c', '3'],
    ['a', '4'],
    ['b', '5'],
    ['a', '6'],
  ] as const)
    put(store, key(name), OTHERS, wire);
  assert.deepEqual(brief(store.feed.changes('east', 0, 0, ALL).changes), ['+3', '+5', '+6']);
  assert.deepEqual(brief(store.feed.changes('east', 4, 0, ALL).changes), ['+5', '+6']);
  assert.deepEqual(store.feed.changes('east', 6, 0, ALL), { changes: [], next: undefined });
  assert.deepEqual(store.feed.changes('east', 7, 0, ALL), { changes: [], next: undefined });
});

test('a change that no feed sees is a revision, but not in the log', (t) => {
  const store = memory(t);
  put(store, key('a'), OTHERS);
  store.commit((tx) => tx.put(resource(key('a'), { name: 'a-', status: { seen: 1 } }), OTHERS, 'a'));
  put(store, key('n'), NOBODY);
  assert.equal(store.head().revision, 3);
  assert.deepEqual(store.feed.changes('east', 1, 0, ALL).changes, []);
});

test('pages go on where the last one ended, and end with `next` undefined', (t) => {
  const store = memory(t);
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const name of names) put(store, key(name), OTHERS, `${name}${name}`);
  const sizes: number[] = [];
  const seen: string[] = [];
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page: { readonly changes: readonly FeedChange[]; readonly next: number | undefined } = store.feed.changes('east', 0, after, 4);
    sizes.push(page.changes.length);
    seen.push(...brief(page.changes));
    after = page.next;
  }
  assert.deepEqual([sizes, seen], [[2, 2, 1], names.map((name) => `+${name}${name}`)]);
});

test('what came after the revision and went before the end is deleted again: an earlier page may have sent it', (t) => {
  const store = memory(t);
  put(store, key('a'), OTHERS);
  put(store, key('b'), OTHERS);
  const first = store.feed.changes('east', 0, 0, 1);
  assert.deepEqual([brief(first.changes), first.next], [['+a'], 1]);
  put(store, key('a'), NOBODY);
  assert.deepEqual(brief(store.feed.changes('east', 0, first.next ?? 0, ALL).changes), ['+b', '-a']);
  assert.deepEqual(brief(store.feed.changes('west', 0, 0, ALL).changes), ['+b', '-a']);
});

test('a page of the feed holds both audiences in key order', (t) => {
  const store = memory(t);
  for (const name of ['d', 'a', 'g']) put(store, key(name), OTHERS);
  for (const name of ['f', 'b', 'e']) put(store, key(name), EAST);
  put(store, key('c'), WEST);
  put(store, key('h'), NOBODY);
  const seen: string[] = [];
  let after: Key | undefined;
  do {
    const page: { readonly items: readonly FeedChange[]; readonly next: Key | undefined } = store.feed.page('east', after, 2);
    seen.push(page.items.map(({ wire }) => wire).join(''));
    after = page.next;
  } while (after);
  assert.deepEqual(seen, ['ab', 'de', 'fg']);
});

test('a feed is for the peer that is named, whatever the name', (t) => {
  const store = memory(t);
  put(store, key('n', 'west'), NOBODY);
  put(store, key('a', 'west'), OTHERS);
  for (const peer of ['', '*']) {
    assert.deepEqual(brief(store.feed.page(peer, undefined, ALL).items), ['+a']);
    assert.equal(store.feed.summary(peer).count, 1);
  }
});

/** A log of `entries` more, one a revision, as if that many puts of `of` had been committed. */
function fillLog(path: string, of: Key, entries: number): void {
  const db = new Database(path);
  const number = db.prepare('SELECT id FROM keys WHERE name = ?').pluck().get(of.name);
  db.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO log (revision, key, audience_before, hash_before, audience_after, hash_after)
     SELECT (SELECT value FROM settings WHERE name = 'revision') + i, ?, '*', r.hash, '*', r.hash FROM n, resources r WHERE r.key = ?`,
  ).run(entries, number, number);
  db.prepare(`UPDATE settings SET value = value + ? WHERE name = 'revision'`).run(entries);
  db.close();
}

test('the log is pruned by whole revisions, and what it does not reach back to is said to be unknown', (t) => {
  const path = freshPath(t);
  let store = openStore(path, OPTIONS);
  t.after(() => store.close());
  const fill = (entries: number): void => {
    store.close();
    fillLog(path, key('a'), entries);
    store = openStore(path, OPTIONS);
  };
  store.commit((tx) => ['a', 'b', 'c'].forEach((name) => tx.put(resource(key(name)), OTHERS, name)));
  put(store, key('d'), OTHERS);
  fill(LOG_ENTRIES - 3);
  assert.ok(store.feed.summaryAt('east', 0), 'not pruned yet');
  fill(1_000);
  put(store, key('e'), OTHERS);

  const { revision } = store.head();
  const oldest = revision - LOG_ENTRIES;
  assert.equal(store.feed.summaryAt('east', oldest - 1), undefined);
  assert.deepEqual([store.feed.reaches(oldest - 1), store.feed.reaches(oldest)], [false, true]);
  assert.deepEqual(store.feed.changes('east', oldest - 1, 0, ALL), { changes: [], next: undefined });
  assert.deepEqual([store.feed.summaryAt('east', oldest)?.count, store.feed.summaryAt('east', revision)?.count], [4, 5]);
  assert.deepEqual(pagesOf(store, 'east', oldest).flat(), ['+a', '+e']);
  assert.equal(store.feed.summaryAt('east', revision + 1), undefined);
});

test('a revision that is larger than the log stays whole, until it is old', (t) => {
  const path = freshPath(t);
  const first = openStore(path, OPTIONS);
  put(first, key('a'), OTHERS);
  first.close();
  fillLog(path, key('a'), LOG_ENTRIES + 2_000);
  const db = new Database(path);
  db.exec('UPDATE log SET revision = 2 WHERE revision > 1');
  db.exec(`UPDATE settings SET value = '2' WHERE name = 'revision'`);
  db.close();
  const store = openStore(path, OPTIONS);
  t.after(() => store.close());
  put(store, key('b'), OTHERS);
  assert.equal(store.feed.summaryAt('east', 0), undefined);
  assert.equal(store.feed.summaryAt('east', 1)?.count, 1);
  assert.deepEqual(pagesOf(store, 'east', 1).flat(), ['+a', '+b']);
});

test('a page looks at a part of the log, though nothing of that is for the peer', (t) => {
  const store = memory(t);
  put(store, key('first'), OTHERS);
  store.commit((tx) => {
    for (let n = 0; n < LOOKED_AT * 2; n++) tx.put(resource(key(`west-${n}`)), WEST, 'w');
  });
  put(store, key('last'), OTHERS);
  assert.deepEqual(pagesOf(store, 'east', 0), [['+first'], [], ['+last']]);
  assert.deepEqual(brief(store.feed.changes('east', 2, 0, ALL).changes), ['+last']);
});

test('whom a change concerns is told from the change alone', (t) => {
  const store = memory(t);
  const since = () => store.head().revision;
  const rows: [audience: Audience, concerned: readonly string[] | undefined][] = [
    [EAST, ['east']],
    [WEST, ['east', 'west']],
    [WEST, []],
    [NOBODY, ['west']],
    [NOBODY, []],
    [OTHERS, undefined],
  ];
  for (const [audience, concerned] of rows) {
    const before = since();
    put(store, key('a'), audience);
    assert.deepEqual(store.feed.concerned(before), concerned);
  }
  const many = since();
  store.commit((tx) => {
    for (let n = 0; n < 1_001; n++) tx.put(resource(key(`n${n}`)), EAST, 'w');
  });
  assert.equal(store.feed.concerned(many), undefined, 'too many to look at');
  assert.equal(store.feed.concerned(-1), undefined);
});
