import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reader } from '../resource/store/store.ts';
import { provesRestore } from './process-epochs.ts';

/** A store at revision 900 whose lives are these. */
function storeOf(lives: readonly { id: string; from: number }[]): Reader {
  const known: Pick<Reader, 'head' | 'setting'> = {
    head: () => ({ store: 'aa', term: 1, revision: 900 }),
    setting: (name) => (name === 'lives' ? JSON.stringify(lives) : undefined),
  };
  return known as Reader;
}

const ALL = [
  { id: 'a', from: 0 },
  { id: 'b', from: 80 },
];
/** As many as are kept: there were others before. */
const NEWEST = Array.from({ length: 1_000 }, (_, n) => ({ id: `n${n}`, from: 500 }));

const TABLE: readonly (readonly [title: string, lives: typeof ALL, id: string, revision: number, proves: boolean])[] = [
  ['of an earlier life', ALL, 'a', 80, false],
  ['of an earlier life, and lost', ALL, 'a', 81, true],
  ['of the present life', ALL, 'b', 900, false],
  ['of no life that ever was', ALL, 'x', 1, true],
  ['of a life that is forgotten, perhaps', NEWEST, 'x', 500, false],
  ['of none of those that are forgotten: they wrote nothing so late', NEWEST, 'x', 501, true],
];

test('what a revision proves', async (t) => {
  for (const [title, lives, id, revision, proves] of TABLE) {
    await t.test(title, () => assert.equal(provesRestore(storeOf(lives), id, revision), proves));
  }
});
