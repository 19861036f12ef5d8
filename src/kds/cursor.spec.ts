import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Reader } from '../resource/store/store.ts';
import { isOwn, makePosition, provesRestore, signer } from './cursor.ts';

const sign = signer('secret');
const hex = fc.stringMatching(/^[0-9a-f]{1,64}$/);
const count = fc.maxSafeNat();
const head = fc.record({ store: hex, term: count, revision: count });
const summary = fc.record({ digest: hex, count });
const peer = fc.stringMatching(/^[a-z0-9-]{1,20}$/);

test('a cursor is its own for the peer and the secret that it was made with', () => {
  fc.assert(
    fc.property(peer, peer, head, summary, (one, other, at, says) => {
      const position = makePosition(sign, one, at, says);
      assert.ok(isOwn(sign, one, position));
      assert.equal(isOwn(sign, other, position), one === other);
      assert.ok(!isOwn(signer('guess'), one, position));
    }),
  );
});

test('no part of a cursor can be changed', () => {
  fc.assert(
    fc.property(peer, head, summary, head, summary, fc.string(), (to, at, says, at2, says2, signature) => {
      const position = makePosition(sign, to, at, says);
      const parts = { ...at2, ...says2, signature };
      for (const [part, value] of Object.entries(parts)) {
        const forged = { ...position, [part]: value };
        assert.equal(isOwn(sign, to, forged), position[part as keyof typeof parts] === value, part);
      }
    }),
  );
});

/** A store at revision 900 whose epochs are these. */
function storeOf(epochs: readonly { id: string; from: number }[]): Reader {
  const known: Pick<Reader, 'head' | 'setting'> = {
    head: () => ({ store: 'aa', term: 1, revision: 900 }),
    setting: (name) => (name === 'lives' ? JSON.stringify(epochs) : undefined),
  };
  return known as Reader;
}

const ALL = [
  { id: 'a', from: 0 },
  { id: 'b', from: 80 },
];
/** As many as are kept: there were others before. */
const NEWEST = Array.from({ length: 1_000 }, (_, n) => ({ id: `n${n}`, from: 500 }));

const TABLE: readonly (readonly [title: string, epochs: typeof ALL, id: string, revision: number, proves: boolean])[] = [
  ['of an earlier epoch', ALL, 'a', 80, false],
  ['of an earlier epoch, and lost', ALL, 'a', 81, true],
  ['of the present epoch', ALL, 'b', 900, false],
  ['of no epoch that ever was', ALL, 'x', 1, true],
  ['of an epoch that is forgotten, perhaps', NEWEST, 'x', 500, false],
  ['of none of those that are forgotten: they wrote nothing so late', NEWEST, 'x', 501, true],
];

test('what a revision proves', async (t) => {
  for (const [title, epochs, id, revision, proves] of TABLE) {
    await t.test(title, () => assert.equal(provesRestore(storeOf(epochs), id, revision), proves));
  }
});
