import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { authenticator, listenerAuthenticator } from './authenticate-caller.ts';
import { whyTooOld } from './envoy-version.ts';
import { listenerProof } from './listener-proof.ts';
import { nodeId, parseNodeId, type ProxyId } from './proxy-id.ts';
import { issueToken, verifyToken } from './proxy-token.ts';

const SECRET = Buffer.alloc(32, 1);
const PROXY: ProxyId = { mesh: 'default', name: 'backend-1.shop' };
const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,5}[a-z0-9])?$/);
const proxies = fc
  .tuple(label, fc.array(label, { minLength: 1, maxLength: 3 }))
  .map(([mesh, parts]): ProxyId => ({ mesh, name: parts.join('.') }));

it('a node id names one proxy', () => {
  fc.assert(fc.property(proxies, (proxy) => assert.deepEqual(parseNodeId(nodeId(proxy)), proxy)));
  for (const text of ['', '.', 'a', 'a.', '.a']) assert.equal(parseNodeId(text), undefined, text);
});

it('a token is for one proxy, of one secret, until it ends', () => {
  fc.assert(
    fc.property(proxies, fc.nat(), (proxy, expires) => {
      const token = issueToken(SECRET, proxy, expires);
      assert.deepEqual(verifyToken(SECRET, token, expires - 1), { ...proxy, expires });
      assert.equal(verifyToken(SECRET, token, expires), undefined);
      assert.equal(verifyToken(Buffer.alloc(32, 2), token, expires - 1), undefined);
    }),
  );
});

it('a token of which one character is another is none', () => {
  const token = issueToken(SECRET, PROXY, 100);
  for (let i = 0; i < token.length; i++) {
    const changed = `${token.slice(0, i)}${token[i] === 'A' ? 'Q' : 'A'}${token.slice(i + 1)}`;
    // The last character has bits that say nothing: it may stand for the same bytes.
    if (i < token.length - 1) assert.equal(verifyToken(SECRET, changed, 0), undefined, changed);
  }
  for (const text of ['', '.', 'a.b', `${token}.`, `.${token}`, token.split('.')[0] ?? ''])
    assert.equal(verifyToken(SECRET, text, 0), undefined, text);
});

it('a caller is who its token or its one SPIFFE ID says, never another', () => {
  const ID = 'spiffe://default/backend';
  const prove = authenticator(
    SECRET,
    () => 10,
    ({ name }) => (name === PROXY.name ? ID : undefined),
  );
  const own = issueToken(SECRET, PROXY, 20);
  const cases: [token: string | undefined, uriSans: string[] | undefined, validFor: number | undefined][] = [
    [own, undefined, 10],
    [own, [ID], 5],
    [undefined, [ID], 5],
    [undefined, undefined, undefined],
    // Both must prove it.
    [own, ['spiffe://default/other'], undefined],
    [own, [], undefined],
    ['', [ID], undefined],
    ['nonsense', [ID], undefined],
    [undefined, [], undefined],
    [undefined, [ID, 'spiffe://default/other'], undefined],
    [undefined, ['spiffe://default/other', ID], undefined],
    [undefined, [`${ID}-2`], undefined],
    [issueToken(SECRET, PROXY, 10), undefined, undefined],
    [issueToken(SECRET, { ...PROXY, mesh: 'other' }, 20), undefined, undefined],
    [issueToken(SECRET, { ...PROXY, name: 'backend-2.shop' }, 20), [ID], undefined],
  ];
  const shown = (uriSans: string[] | undefined, expires = 15) => uriSans && { uriSans, expires };
  for (const [token, uriSans, validFor] of cases) {
    const proven = prove({ nodeId: nodeId(PROXY), token, certificate: shown(uriSans) });
    assert.deepEqual(proven, validFor === undefined ? undefined : { proxy: PROXY, validFor }, `${token} ${uriSans?.join()}`);
  }
  for (const ended of [10, 9, Number.NaN]) {
    for (const token of [undefined, own]) assert.equal(prove({ nodeId: nodeId(PROXY), token, certificate: shown([ID], ended) }), undefined);
  }
  assert.equal(prove({ nodeId: 'default.unknown', token: undefined, certificate: shown([ID]) }), undefined);
  assert.equal(prove({ nodeId: 'default.unknown', token: own, certificate: undefined }), undefined);
});

it('an Envoy older than 1.36, or of no known age, is refused', () => {
  const too = (major: number, minor: number) => whyTooOld({ major, minor, patch: 9 });
  for (const [major, minor] of [
    [1, 36],
    [1, 40],
    [1, 99],
    [2, 0],
  ] as const)
    assert.equal(too(major, minor), undefined);
  for (const [major, minor] of [
    [1, 35],
    [0, 99],
    [1, 0],
  ] as const)
    assert.match(too(major, minor) ?? '', /Envoy \d\.\d+\.9 is too old: Envoy 1\.36/);
  assert.match(whyTooOld(undefined) ?? '', /does not say which Envoy/);
});

it('a listener is whose the zone made it; its proof is no token, a token no proof, and a certificate must be of the same proxy', () => {
  const ID = 'spiffe://default/backend';
  const proven = listenerAuthenticator(
    SECRET,
    () => 10,
    ({ name }) => (name === PROXY.name ? ID : undefined),
  );
  const own = listenerProof(SECRET, PROXY);
  const other: ProxyId = { mesh: 'default', name: 'web-1.shop' };
  const cases: [token: string | undefined, uriSans: string[] | undefined, isProven: boolean][] = [
    [own, undefined, true],
    [own, [ID], true],
    [own, ['spiffe://default/other'], false],
    [own, [], false],
    [undefined, [ID], false],
    ['', undefined, false],
    [listenerProof(SECRET, other), undefined, false],
    [listenerProof(Buffer.alloc(32, 2), PROXY), undefined, false],
    [issueToken(SECRET, PROXY, 20), undefined, false],
  ];
  for (const [token, uriSans, isProven] of cases) {
    const certificate = uriSans && { uriSans, expires: 15 };
    assert.deepEqual(proven({ nodeId: nodeId(PROXY), token, certificate }), isProven ? PROXY : undefined, JSON.stringify([token, uriSans]));
  }
  assert.equal(proven({ nodeId: nodeId(PROXY), token: own, certificate: { uriSans: [ID], expires: 10 } }), undefined);
  assert.equal(verifyToken(SECRET, own, 0), undefined);
});
