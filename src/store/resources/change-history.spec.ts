import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { NOBODY, OTHERS } from '../../resource/audience.ts';
import type { HistoryChange, Moment } from '../../resource/store/history.ts';
import { keyId } from '../../resource/key.ts';
import type { Store } from '../../resource/store/store.ts';
import { openDatabase } from '../database.ts';
import { createTombstones } from './tombstones.ts';
import { openStore } from '../open-store.ts';
import { key, resource } from '../../../test/harness/sample-store.ts';
import { OPTIONS } from '../../../test/harness/test-store.ts';
import { createSettings, initSettings } from '../store-settings.ts';

const START: Moment = { revision: 0, number: 0 };

/** All changes behind a moment, page by page. */
function all(store: Store, after: Moment, size: number): HistoryChange[] {
  const { changes } = store.history.behind(after, {}, size);
  const last = changes.at(-1);
  return last ? [...changes, ...all(store, last, size)] : [];
}

interface HistoryStep {
  readonly name: string;
  readonly value: number;
  readonly act: 'put' | 'delete';
  readonly shared: boolean;
}

const step = fc.record<HistoryStep>({
  name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  value: fc.nat({ max: 3 }),
  act: fc.constantFrom('put', 'put', 'delete'),
  shared: fc.boolean(),
});
const commits = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 20 });

function commit(store: Store, steps: readonly HistoryStep[]): void {
  store.commit((tx) => {
    for (const { name, value, act, shared } of steps) {
      if (act === 'delete') tx.delete(key(name));
      else tx.put({ ...resource(key(name)), spec: { value } }, shared ? OTHERS : NOBODY, shared ? `${name} ${value}` : '');
    }
  });
}

/** What a client has that got these changes. */
function replay(state: ReadonlyMap<string, unknown>, changes: readonly HistoryChange[]): Map<string, unknown> {
  const next = new Map(state);
  for (const { key: of, resource: now } of changes) {
    if (now) next.set(keyId(of), now.spec);
    else next.delete(keyId(of));
  }
  return next;
}

function held(store: Store): Map<string, unknown> {
  return new Map([...store.each('MeshTimeout')].map(({ resource: { key: of, spec } }) => [keyId(of), spec]));
}

describe('the history of a store', () => {
  it('leads from what it was after any commit to what it is, whoever gets it, in pages of any size', () => {
    fc.assert(
      fc.property(commits, fc.integer({ min: 1, max: 5 }), (made, size) => {
        const store = openStore(':memory:', OPTIONS);
        const seen = [{ at: START, state: new Map<string, unknown>() }];
        for (const steps of made) {
          commit(store, steps);
          seen.push({ at: { revision: store.head().revision, number: Number.MAX_SAFE_INTEGER }, state: held(store) });
        }
        for (const { at, state } of seen) {
          const changes = all(store, at, size);
          assert.deepEqual(replay(state, changes), held(store));
          const moments = changes.map(({ revision, number }) => `${revision} ${number}`);
          assert.equal(new Set(moments).size, moments.length);
          assert.equal(new Set(changes.map(({ key: of }) => keyId(of))).size, changes.length);
        }
        store.close();
      }),
      { numRuns: 100 },
    );
  });

  it('gives at least one change, however large', () => {
    const store = openStore(':memory:', OPTIONS);
    for (const name of ['a', 'b']) {
      store.commit((tx) => tx.put({ ...resource(key(name)), spec: { text: 'x'.repeat(400_000) } }, NOBODY, ''));
    }
    const first = store.history.behind(START, {}, 10);
    assert.deepEqual([first.changes.length, first.more], [1, true]);
    assert.equal(all(store, START, 10).length, 2);
    store.close();
  });

  it('forgets the oldest deletions in whole revisions, and says from where on it knows them', () => {
    const db = openDatabase(':memory:');
    initSettings(db, 'a', 'b');
    const settings = createSettings(db);
    const gone = createTombstones(db, settings, 10);
    db.exec(
      "BEGIN; INSERT INTO keys SELECT value, 'T', '', '', '', value FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 2000) SELECT value FROM n)",
    );
    for (let number = 1; number <= 1_009; number++) gone.add({ key: number, name: '', namespace: '' }, Math.ceil(number / 2));
    assert.equal(gone.since(), 0);
    gone.add({ key: 1_010, name: '', namespace: '' }, 505);
    assert.equal(gone.since(), 500);
    const left = db.prepare('SELECT min(revision) FROM gone').pluck().get();
    assert.equal(left, 501);
    db.exec('COMMIT');
    db.close();
  });
});
