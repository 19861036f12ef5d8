import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type AccessAsk,
  type AccessReply,
  decodeAsk,
  decodeReply,
  encodeAsk,
  encodeReply,
  MAX_ASK_BYTES,
  MAX_REPLY_BYTES,
} from './access-messages.ts';

const ASK: AccessAsk = {
  id: 'a1',
  mesh: 'default',
  service: { name: 'ledger', namespace: 'pay' },
  caller: { identity: 'spiffe://default.east.mesh.local/ns/shop/sa/orders', attributes: { 'k8s:ns': 'shop' } },
};
const ALLOW: AccessReply = {
  id: 'a1',
  allowed: true,
  decidedBy: null,
  reason: 'a policy allows it',
  token: 'A'.repeat(43),
  expiresIn: 5_000,
};
const DENY: AccessReply = { id: 'a1', allowed: false, why: 'no-policy', decidedBy: null, reason: 'no policy allows it' };

/** The text of a message with something changed. */
function changed(message: object, change: object): string {
  return JSON.stringify({ v: 1, ...message, ...change });
}

describe('what zones ask each other', () => {
  it('comes out as it went in', () => {
    assert.deepEqual(decodeAsk(encodeAsk(ASK)), { id: 'a1', ask: { v: 1, ...ASK } });
    for (const reply of [ALLOW, DENY]) assert.deepEqual(decodeReply(encodeReply(reply)), { v: 1, ...reply });
  });

  const many = Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`k8s:label:l${index}`, '']));
  const unreadable: readonly (readonly [what: string, change: object])[] = [
    ['another version', { v: 2 }],
    ['no mesh', { mesh: '' }],
    ['a field that is not known', { site: { 'site:name': 'west' } }],
    ['a field of the caller that is not known', { caller: { ...ASK.caller, zone: 'west' } }],
    ['a field of the service that is not known', { service: { ...ASK.service, zone: 'west' } }],
    ['a caller without an identity', { caller: { attributes: {} } }],
    ['an identity that is none', { caller: { ...ASK.caller, identity: 'orders' } }],
    ['attributes that are no texts', { caller: { ...ASK.caller, attributes: { 'k8s:ns': 7 } } }],
    ['a value that is too long', { caller: { ...ASK.caller, attributes: { 'k8s:ns': 'x'.repeat(2049) } } }],
    ['too many attributes', { caller: { ...ASK.caller, attributes: many } }],
    ['a name that is too long', { service: { name: 'x'.repeat(254), namespace: '' } }],
  ];
  for (const [what, change] of unreadable) {
    it(`is not read with ${what}, and can be answered`, () => {
      assert.deepEqual(decodeAsk(changed(ASK, change)), { id: 'a1', ask: undefined });
    });
  }

  it('is dropped without an id, and where it is too large', () => {
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      changed(ASK, { id: 'X' }),
      changed(ASK, { id: 7 }),
      changed(ASK, { more: 'x'.repeat(MAX_ASK_BYTES) }),
    ])
      assert.equal(decodeAsk(text), undefined, text.slice(0, 80));
  });

  it('has no answer that is not one', () => {
    const wrong: readonly object[] = [
      { v: 2 },
      { token: undefined },
      { token: 'A'.repeat(42) },
      { token: `${'A'.repeat(42)} ` },
      { expiresIn: 0 },
      { expiresIn: 1.5 },
      { allowed: 'true' },
      { allowed: false },
      { more: 1 },
    ];
    for (const change of wrong) assert.equal(decodeReply(changed(ALLOW, change)), undefined, JSON.stringify(change));
    for (const change of [{ why: 'other' }, { why: undefined }, { token: 'A'.repeat(43) }, { reason: 'x'.repeat(MAX_REPLY_BYTES) }])
      assert.equal(decodeReply(changed(DENY, change)), undefined, JSON.stringify(change));
  });

  it('says in an answer nothing that steers a terminal', () => {
    const read = decodeReply(encodeReply({ ...DENY, reason: '\u001b[2J no\n' }));
    assert.equal(read?.reason, ' [2J no ');
  });

  it('is never an error, whatever comes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        decodeReply(text);
        const read = decodeAsk(text);
        assert.ok(read === undefined || read.ask === undefined);
      }),
    );
  });
});
