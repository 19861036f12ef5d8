import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isOwn, makePosition, signer } from './cursor.ts';

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
