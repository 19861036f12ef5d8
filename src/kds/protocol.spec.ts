import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { MeridianError } from '../errors.ts';
import { type Body, decodeMessage, encodeMessage, MAX_MESSAGE_BYTES, type Message } from './protocol.ts';

const FROM = { store: 'aa', term: 1, incarnation: 3, instance: 'bb' };
const POSITION = { store: 'aa', term: 1, revision: 7, digest: '0f', count: 2, signature: 'cc' };
const { signature: _, ...ACK } = POSITION;
const KEY = ['MeshTimeout', 'default', 'east', 'app', 'slow'] as [string, string, string, string, string];

const BODIES: readonly Body[] = [
  { kind: 'status', head: POSITION, ack: { position: ACK, refusals: '' } },
  { kind: 'status', ack: { refusals: 'd1' }, about: { environment: 'kubernetes', systemNamespace: 'kuma-system', version: '1' } },
  { kind: 'pull', id: '1', ask: { mode: 'delta', cursor: POSITION, after: 0 } },
  { kind: 'pull', id: '1', ask: { mode: 'scan', cursor: POSITION } },
  { kind: 'pull', id: '1', ask: { mode: 'scan', after: KEY } },
  { kind: 'pull', id: '1', ask: { mode: 'tail', revision: 5, after: 0 } },
  { kind: 'pull', id: '1', ask: { mode: 'refusals', after: KEY } },
  { kind: 'page', id: '1', revision: 7, next: 4 },
  { kind: 'page', id: '1', revision: 7, next: KEY },
  { kind: 'page', id: '1', revision: 7, end: POSITION },
  { kind: 'page', id: '1', revision: 7, scan: true },
  { kind: 'push', from: { digest: '0', count: 0 }, end: POSITION },
  { kind: 'notice', code: 'superseded', message: 'later', instance: 'bb' },
];

test('what is encoded is decoded', () => {
  for (const body of BODIES) {
    for (const lines of [[], ['{}'], ['{}', '[]']]) {
      const message: Message = { from: FROM, body, lines };
      assert.deepEqual(decodeMessage(encodeMessage(message)), message);
    }
  }
});

test('unknown fields are dropped', () => {
  const text = JSON.stringify({ v: 1, from: { ...FROM, mood: 'good' }, body: { ...BODIES[2], colour: 'red' }, extra: 1 });
  assert.deepEqual(decodeMessage(text), { from: FROM, body: BODIES[2], lines: [] });
});

test('only a refusal is thrown, whatever comes', () => {
  const near = fc.constantFrom(...BODIES).chain((body) => {
    const text = encodeMessage({ from: FROM, body, lines: [] });
    return fc.tuple(fc.nat(text.length), fc.string({ maxLength: 3 })).map(([at, noise]) => text.slice(0, at) + noise + text.slice(at + 1));
  });
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), near), (text) => {
      try {
        decodeMessage(text);
      } catch (thrown) {
        assert.ok(thrown instanceof MeridianError && thrown.code === 'invalid');
      }
    }),
  );
});

test('what a zone says of itself is what can be shown and filed', () => {
  const good = [{}, { version: '' }, { version: '1.2.3-rc.1+x (y)' }, { environment: 'universal', systemNamespace: '' }];
  const bad = [
    ...['\u001b[2J', '1\n2', 'ä', 'x'.repeat(65)].map((version) => ({ version })),
    ...['A', 'a.b', '-', 'x'.repeat(64), '\u0000', ''].map((systemNamespace) => ({ systemNamespace })),
    { environment: 'cluster' },
  ];
  const decode = (more: object) => {
    const about = { environment: 'kubernetes', systemNamespace: 'kuma-system', version: '1', ...more };
    return decodeMessage(JSON.stringify({ v: 1, from: FROM, body: { kind: 'status', ack: { refusals: '' }, about } }));
  };
  for (const more of good) assert.equal(decode(more).body.kind, 'status');
  for (const more of bad) assert.throws(() => decode(more), { code: 'invalid' }, JSON.stringify(more));
});

test('a notice is cut, and is one line of text', () => {
  const decode = (message: string) =>
    decodeMessage(JSON.stringify({ v: 1, from: FROM, body: { kind: 'notice', code: 'disabled', message } })).body;
  assert.deepEqual(decode('\u001b]0;x\u0007\nof west'), { kind: 'notice', code: 'disabled', message: ' ]0;x  of west' });
  const long = decode('x'.repeat(900_000));
  assert.ok(long.kind === 'notice' && long.message.length === 512);
});

test('numbers of a speaker are those of a store', () => {
  for (const field of ['term', 'incarnation']) {
    for (const number of ['-1', '1.5', '9007199254740992', '1e300', '"7"', 'null', '[]', '-0.5']) {
      const from = JSON.stringify({ ...FROM, [field]: 0 }).replace(`"${field}":0`, `"${field}":${number}`);
      const text = `{"v":1,"from":${from},"body":{"kind":"status","ack":{"refusals":""}}}`;
      assert.throws(() => decodeMessage(text), { code: 'invalid' }, `${field} ${number}`);
    }
    const most = { ...FROM, [field]: Number.MAX_SAFE_INTEGER };
    assert.equal(decodeMessage(JSON.stringify({ v: 1, from: most, body: { kind: 'status', ack: { refusals: '' } } })).body.kind, 'status');
  }
});

test('messages that are none', () => {
  const status = { kind: 'status', ack: { refusals: '' } };
  const bad: [title: string, value: unknown][] = [
    ['another version', { v: 2, from: FROM, body: status }],
    ['no speaker', { v: 1, body: status }],
    ['a term before the first', { v: 1, from: { ...FROM, term: 0 }, body: status }],
    ['a revision below nothing', { v: 1, from: FROM, body: { ...status, head: { ...POSITION, revision: -1 } } }],
    ['a digest that is no number', { v: 1, from: FROM, body: { ...status, head: { ...POSITION, digest: '' } } }],
    ['a term of a cursor before the first', { v: 1, from: FROM, body: { ...status, head: { ...POSITION, term: 0 } } }],
    ['a kind from the future', { v: 1, from: FROM, body: { kind: 'song' } }],
    [
      'a token with a long part',
      { v: 1, from: FROM, body: { kind: 'page', id: '1', revision: 1, next: ['x'.repeat(254), '', '', '', ''] } },
    ],
  ];
  for (const [title, value] of bad) assert.throws(() => decodeMessage(JSON.stringify(value)), { code: 'invalid' }, title);
  assert.throws(() => decodeMessage('x'.repeat(MAX_MESSAGE_BYTES + 1)), { code: 'invalid' });
});
