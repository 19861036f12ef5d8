import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { addHash, EMPTY_DIGEST, formatDigest, hashItem } from '../../src/kds/digest.ts';
import { type Audience, includes } from '../../src/resource/audience.ts';
import { compareKeys, type Key, keyId } from '../../src/resource/key.ts';
import type { FeedChange, FeedSummary, Row, Store, Transaction } from '../../src/resource/store/store.ts';
import { linkConformance } from './store-links.ts';
import { listConformance } from './store-lists.ts';
import { meanwhileConformance } from './store-meanwhile.ts';
import { mirrorConformance } from './store-mirror.ts';
import { recordConformance } from './store-records.ts';
import { PEERS, resource, someAudience, someKey } from '../harness/sample-store.ts';

/** A feed's content, by key. */
type Feed = Map<string, FeedChange>;

/** What a store should be: all its rows, and every feed as it was at every revision. */
interface StoreModel {
  rows: Map<string, Row>;
  readonly history: Map<string, Feed>[];
}

interface Real {
  store: Store;
  readonly reopen: Opening['reopen'];
}

/** How the stores of a kind are had. */
export interface Opening {
  /** An empty one. */
  open(): Store;
  /** Closes one, and opens it again on the same data. */
  reopen(store: Store): Store;
}

type StoreOperation =
  | { readonly do: 'put'; readonly key: Key; readonly name: string; readonly audience: Audience; readonly content: number }
  | { readonly do: 'delete'; readonly key: Key };

function feedsOf(rows: StoreModel['rows']): Map<string, Feed> {
  const sorted = [...rows.values()].sort((a, b) => compareKeys(a.resource.key, b.resource.key));
  const feed = (peer: string): Feed =>
    new Map(
      sorted
        .filter(({ resource, audience }) => includes(audience, resource.key, peer))
        .map(({ resource: { key }, wire }) => [keyId(key), { key, wire }]),
    );
  return new Map(PEERS.map((peer) => [peer, feed(peer)]));
}

function summaryOf(feed: Feed): FeedSummary {
  const digest = [...feed.values()].reduce((sum, { wire }) => addHash(sum, hashItem(wire)), EMPTY_DIGEST);
  return { count: feed.size, digest: formatDigest(digest) };
}

/** What a receiver does, and no more. */
function replay(feed: Feed, changes: readonly FeedChange[]): void {
  for (const { key, wire } of changes) {
    if (wire === '') feed.delete(keyId(key));
    else feed.set(keyId(key), { key, wire });
  }
}

/** One operation on the rows, naively; the answer that the store should give, or `conflict`. */
function onModel(rows: StoreModel['rows'], operation: StoreOperation, revision: number): unknown {
  const id = keyId(operation.key);
  const old = rows.get(id);
  if (operation.do === 'delete') return rows.delete(id);
  const { key, name, audience, content } = operation;
  const next = {
    resource: resource(key, { name, spec: { content } }),
    audience,
    wire: audience.to === 'none' ? '' : wireOf(operation),
    revision,
  };
  if (old && JSON.stringify({ ...old, revision }) === JSON.stringify(next)) return 'unchanged';
  const holds = ({ resource: { key: other, name: taken } }: Row): boolean =>
    keyId(other) !== id && other.type === key.type && other.mesh === key.mesh && taken === name;
  if ([...rows.values()].some(holds)) return 'conflict';
  rows.set(id, next);
  return old ? 'changed' : 'created';
}

function wireOf({ key, content }: Extract<StoreOperation, { do: 'put' }>): string {
  return JSON.stringify([Object.values(key), content]);
}

function onStore(tx: Transaction, operation: StoreOperation): unknown {
  if (operation.do === 'delete') return tx.delete(operation.key);
  const { key, name, audience, content } = operation;
  try {
    return tx.put(resource(key, { name, spec: { content } }), audience, wireOf(operation));
  } catch (thrown) {
    return (thrown as { code: unknown }).code;
  }
}

const ABORTED = new Error('aborted');

class Commit implements fc.Command<StoreModel, Real> {
  readonly operations: readonly StoreOperation[];
  readonly fails: boolean;

  constructor(operations: readonly StoreOperation[], fails: boolean) {
    this.operations = operations;
    this.fails = fails;
  }
  check = (): boolean => true;
  run(model: StoreModel, { store }: Real): void {
    const { answers } = this.onModel(model);
    const commit = () => store.commit((tx) => this.write(tx));
    if (this.fails) assert.throws(commit, (thrown) => thrown === ABORTED);
    else assert.deepEqual(commit(), answers);
    assert.equal(store.head().revision, model.history.length - 1);
  }
  /** The body: what the store answers, unless it fails at its end. */
  write(tx: Transaction): readonly unknown[] {
    const answers = this.operations.map((operation) => onStore(tx, operation));
    if (this.fails) throw ABORTED;
    return answers;
  }
  /** What the store should answer, and the revision that the body should see. */
  onModel(model: StoreModel): { readonly revision: number; readonly answers: readonly unknown[] } {
    const rows = new Map(model.rows);
    const revision = model.history.length;
    const answers = this.operations.map((operation) => onModel(rows, operation, revision));
    const changed = answers.some((answer) => answer === true || answer === 'created' || answer === 'changed');
    if (changed && !this.fails) {
      model.rows = rows;
      model.history.push(feedsOf(rows));
    }
    return { revision, answers };
  }
  toString = (): string => `commit(${JSON.stringify(this.operations)}, ${this.fails ? 'fails' : 'goes through'})`;
}

/** Several bodies that wait for the disk together are as one after the other. */
class CommitEach implements fc.Command<StoreModel, Real> {
  readonly bodies: readonly Commit[];

  constructor(bodies: readonly Commit[]) {
    this.bodies = bodies;
  }
  check = (): boolean => true;
  run(model: StoreModel, { store }: Real): void {
    const expected = this.bodies.map((body) => {
      const { revision, answers } = body.onModel(model);
      return body.fails ? { thrown: ABORTED } : { result: [revision, answers] };
    });
    const outcomes = store.commitEach(this.bodies.map((body) => (tx: Transaction) => [tx.revision, body.write(tx)]));
    assert.deepEqual(outcomes, expected);
    assert.equal(store.head().revision, model.history.length - 1);
  }
  toString = (): string => `commitEach(${this.bodies.join(', ')})`;
}

/** A commit in parts: until its end, everybody else reads what was there before. */
class CommitInParts implements fc.Command<StoreModel, Real> {
  readonly body: Commit;

  constructor(body: Commit) {
    this.body = body;
  }
  check = (): boolean => true;
  run(model: StoreModel, { store }: Real): void {
    const before = seenOf(store, model.history.length - 1);
    const { answers } = this.body.onModel(model);
    const { operations, fails } = this.body;
    const parts = store.commitInParts(function* (tx) {
      const found: unknown[] = [];
      for (const operation of operations) {
        found.push(onStore(tx, operation));
        yield;
      }
      if (fails) throw ABORTED;
      return found;
    });
    const drain = (): unknown => {
      for (;;) {
        const step = parts.next();
        if (step.done) return step.value;
        assert.deepEqual(seenOf(store, store.head().revision), before);
        assert.throws(() => store.commit(() => 1), { code: 'unavailable' });
      }
    };
    if (fails) assert.throws(drain, (thrown) => thrown === ABORTED);
    else assert.deepEqual(drain(), answers);
    assert.equal(store.head().revision, model.history.length - 1);
  }
  toString = (): string => `commitInParts(${this.body.toString()})`;
}

/** What others than a writer see. */
function seenOf(store: Store, revision: number): unknown {
  const feeds = PEERS.map((peer) => [store.feed.summary(peer), store.feed.summaryAt(peer, revision), store.holding(peer)]);
  return [store.head(), feeds, store.counts(), [...store.each('MeshTimeout')]];
}

class Restart implements fc.Command<StoreModel, Real> {
  check = (): boolean => true;
  run(_model: StoreModel, real: Real): void {
    real.store = real.reopen(real.store);
  }
  toString = (): string => 'restart';
}

/** Reads a random part of the past, so that what the feeds remember of it is tried too. */
class Look implements fc.Command<StoreModel, Real> {
  readonly back: number;
  readonly maxBytes: number;

  constructor(back: number, maxBytes: number) {
    this.back = back;
    this.maxBytes = maxBytes;
  }
  check = (): boolean => true;
  run(model: StoreModel, { store }: Real): void {
    const revision = Math.max(0, model.history.length - 1 - this.back);
    for (const peer of PEERS) checkFeed(store, peer, model.history, revision, this.maxBytes);
    for (const row of model.rows.values()) assert.deepEqual(store.get(row.resource.key), row);
    const sorted = [...model.rows.values()].sort((a, b) => compareKeys(a.resource.key, b.resource.key));
    assert.deepEqual(
      ['MeshService', 'MeshTimeout'].flatMap((type) => [...store.each(type)]),
      sorted,
    );
  }
  toString = (): string => `look(${this.back}, ${this.maxBytes})`;
}

function checkFeed(store: Store, peer: string, history: StoreModel['history'], revision: number, maxBytes: number): void {
  const now = history.at(-1)?.get(peer) ?? new Map();
  const then = history[revision]?.get(peer) ?? new Map();
  assert.deepEqual(store.feed.summary(peer), summaryOf(now));
  assert.deepEqual(store.feed.summaryAt(peer, revision), summaryOf(then));
  const isAnother = summaryOf(then).digest !== summaryOf(now).digest;
  assert.ok(!isAnother || (store.feed.concerned(revision)?.includes(peer) ?? true), 'whose feed is another now is concerned');
  assert.deepEqual(allPages(store, peer, maxBytes), [...now.values()]);
  const replayed = new Map(then);
  const changes = allChanges(store, peer, revision, maxBytes);
  replay(replayed, changes);
  assert.deepEqual(summaryOf(replayed), summaryOf(now));
  assert.equal(new Set(changes.map(({ key }) => keyId(key))).size, changes.length, 'no key twice');
  const known = new Set(history.slice(revision).flatMap((feeds) => [...(feeds.get(peer)?.keys() ?? [])]));
  for (const { key, wire } of changes) {
    assert.equal(wire === '', !now.has(keyId(key)), 'what is there is put, what is not is deleted');
    // Within a commit a key may come and go: then it is not in the history of revisions, and deleted all the same.
    if (!known.has(keyId(key))) assert.equal(wire, '');
  }
}

/** All changes since `revision`, page by page; `between` runs behind each page. */
function allChanges(store: Store, peer: string, revision: number, maxBytes: number, between = (): void => {}): FeedChange[] {
  const all: FeedChange[] = [];
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page: { readonly changes: readonly FeedChange[]; readonly next: number | undefined } = store.feed.changes(
      peer,
      revision,
      after,
      maxBytes,
    );
    all.push(...page.changes);
    after = page.next;
    if (after !== undefined) between();
  }
  return all;
}

function allPages(store: Store, peer: string, maxBytes: number, between = (): void => {}): FeedChange[] {
  const all: FeedChange[] = [];
  let after: Key | undefined;
  do {
    const page: { readonly items: readonly FeedChange[]; readonly next: Key | undefined } = store.feed.page(peer, after, maxBytes);
    all.push(...page.items);
    after = page.next;
    if (after) between();
  } while (after);
  return all;
}

const somePut = fc.record(
  {
    do: fc.constant('put' as const),
    key: someKey,
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
    audience: someAudience,
    content: fc.nat(2),
  },
  { noNullPrototype: true },
);
const someDelete = fc.record({ do: fc.constant('delete' as const), key: someKey }, { noNullPrototype: true });
const someOperations: fc.Arbitrary<StoreOperation[]> = fc.array(
  fc.oneof({ weight: 3, arbitrary: somePut }, { weight: 1, arbitrary: someDelete }),
  {
    minLength: 1,
    maxLength: 5,
  },
);

const someCommit = fc.tuple(someOperations, fc.nat(5)).map(([operations, fails]) => new Commit(operations, fails === 0));

/** A store that goes on changing: each call makes the next of the given commits. */
function churn(store: Store, commits: readonly StoreOperation[][]): () => void {
  const left = [...commits];
  return () => {
    const operations = left.shift() ?? [];
    store.commit((tx) => operations.map((operation) => onStore(tx, operation)));
  };
}

function content(store: Store, peer: string): Feed {
  return new Map(allPages(store, peer, 1e9).map((change) => [keyId(change.key), change]));
}

/**
 * Tests of all that any `Store` must do: revisions, commits that fail, puts and deletes, audiences, the feeds with
 * their digests and pages, for every peer and back to every revision, also after it was opened again; lists, history
 * and withdrawals; references, names, holdings and audit; mirrors, positions and what is staged; what is only tried,
 * and who waits.
 */
export function storeConformance(name: string, { open, reopen }: Opening, numRuns = 100): void {
  describe(name, () => {
    recordConformance(open);
    listConformance(open);
    linkConformance(open);
    mirrorConformance(open, reopen);
    meanwhileConformance(open, reopen);

    it('the store is what a naive one would be, for every peer and back to every revision', () => {
      const commands = fc.commands(
        [
          someCommit,
          someCommit,
          fc.array(someCommit, { maxLength: 4 }).map((bodies) => new CommitEach(bodies)),
          someCommit.map((body) => new CommitInParts(body)),
          fc.tuple(fc.nat(20), fc.nat(200)).map(([back, maxBytes]) => new Look(back, maxBytes)),
          fc.constant(new Restart()),
        ],
        { maxCommands: 40 },
      );
      fc.assert(
        fc.property(commands, (commands) => {
          const real = { store: open(), reopen };
          fc.modelRun(() => ({ model: { rows: new Map(), history: [feedsOf(new Map())] }, real }), commands);
          real.store.close();
        }),
        { numRuns },
      );
    });

    it('a transfer leads to the present feed though the store changes between its pages: a delta, and a scan with the delta behind it', () => {
      const someCommits = fc.array(someOperations, { maxLength: 20 });
      fc.assert(
        fc.property(someCommits, someCommits, someCommits, fc.nat(60), (past, during, later, maxBytes) => {
          for (const peer of PEERS) {
            const store = open();
            past.forEach(churn(store, past));
            const delta = content(store, peer);
            const { revision } = store.head();
            const scan: Feed = new Map();
            replay(scan, allPages(store, peer, maxBytes, churn(store, during)));
            replay(delta, allChanges(store, peer, revision, maxBytes, churn(store, later)));
            replay(scan, allChanges(store, peer, revision, maxBytes));
            const now = store.feed.summary(peer);
            store.close();
            assert.deepEqual([summaryOf(delta), summaryOf(scan)], [now, now]);
          }
        }),
        numRuns < 100 ? { numRuns: 3 } : {},
      );
    });
  });
}
