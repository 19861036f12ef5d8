import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, it } from 'node:test';
import { connect } from 'node:tls';
import { httpCaller, tcpCaller } from '../harness/caller.ts';
import { type IssuedCertificate, createAuthority } from '../harness/certificates.ts';
import { type EnforcingZone, from, lists, permission, startEnforcingZone } from '../harness/enforcing-zone.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';

/**
 * Who can pretend to be somebody else before a real Envoy that a real zone feeds. Of other versions:
 * MERIDIAN_AGREEMENT_ENVOY=1.36.4.
 */

const scope = new Scope();
after(() => scope.close());

/** An HTTP and a TCP inbound for lists, for `from`, and for both together. */
const SHAPES = ['lists', 'from', 'both'] as const;
type IdentityShape = (typeof SHAPES)[number];
const INBOUNDS = {
  'http-lists': 'http',
  'http-from': 'http',
  'http-both': 'http',
  'tcp-lists': 'tcp',
  'tcp-from': 'tcp',
  'tcp-both': 'tcp',
} as const;

const [PAY, BANNED] = ['spiffe://td/ns/pay/sa/api', 'spiffe://td/ns/pay/sa/banned'];
const [WEB, BATCH] = ['spiffe://default/web', 'spiffe://default/batch'];
const LISTS = lists({
  allow: [{ spiffeId: { type: 'Prefix', value: 'spiffe://td/ns/pay' } }],
  deny: [{ spiffeId: { type: 'Exact', value: BANNED } }],
});
const FROM = from(
  [{ kind: 'MeshService', name: 'web' }, 'Allow'],
  [{ kind: 'MeshSubset', tags: { env: 'prod' } }, 'Allow'],
  [{ kind: 'MeshService', name: 'batch' }, 'Deny'],
);

let served: EnforcingZone;

before(async () => {
  served = await startEnforcingZone(scope, INBOUNDS, process.env.MERIDIAN_AGREEMENT_ENVOY);
  const permissions = ['http', 'tcp'].flatMap((protocol) => [
    permission(`${protocol}-lists`, `${protocol}-lists`, LISTS),
    permission(`${protocol}-from`, `${protocol}-from`, FROM),
    permission(`${protocol}-both-lists`, `${protocol}-both`, LISTS),
    permission(`${protocol}-both-from`, `${protocol}-both`, FROM),
  ]);
  await served.apply(...permissions);
  const [pay, web] = [await issue([PAY]), await issue([WEB])];
  await until('all rules are in force', async () => {
    const [byPay, byWeb] = [await verdicts(pay), await verdicts(web)];
    return byPay.join() === expected(['lists', 'both']).join() && byWeb.join() === expected(['from', 'both']).join();
  });
});

let issued = 0;
const issue = (...[uris, odd]: [readonly string[], { dns?: string[]; hours?: [number, number] }?]) =>
  served.authority.issue(`caller-${issued++}`, uris, [], odd);

/** What each inbound does: on HTTP the status, 0 for none; on TCP whether it echoes. */
async function verdicts(files: Partial<IssuedCertificate>): Promise<string[]> {
  const http = SHAPES.map(async (shape) => `${shape} ${(await httpCaller(scope, served.port(`http-${shape}`), files).ask()).status}`);
  const tcp = SHAPES.map(async (shape) => `${shape} ${(await tcpCaller(scope, served.port(`tcp-${shape}`), files).say('x')) === 'x'}`);
  return Promise.all([...http, ...tcp]);
}

/** Where the caller gets in, and nowhere else; `status`: of HTTP where it does not. */
function expected(where: readonly IdentityShape[], status = 403): string[] {
  const http = SHAPES.map((shape) => `${shape} ${where.includes(shape) ? 200 : status}`);
  return [...http, ...SHAPES.map((shape) => `${shape} ${where.includes(shape)}`)];
}

/** Callers by their URI SANs, and where they get in. */
const CALLERS: readonly (readonly [string, readonly string[], readonly IdentityShape[]])[] = [
  ['a caller of the lists', [PAY], ['lists', 'both']],
  ['the prefix itself', ['spiffe://td/ns/pay'], ['lists', 'both']],
  ['one that is denied', [BANNED], []],
  ['another trust domain that begins alike', ['spiffe://td.evil/ns/pay/sa/api'], []],
  ['another trust domain that ends alike', ['spiffe://evil.td/ns/pay/sa/api'], []],
  ['an unknown trust domain, signed by the same CA', ['spiffe://unknown/ns/pay/sa/api'], []],
  ['a trust domain in capitals', ['spiffe://TD/ns/pay/sa/api'], []],
  ['a port after the trust domain', ['spiffe://td:80/ns/pay/sa/api'], []],
  ['a user before the trust domain', ['spiffe://td@evil/ns/pay/sa/api'], []],
  ['payroll for pay', ['spiffe://td/ns/payroll/sa/api'], []],
  ['pa for pay', ['spiffe://td/ns/pa'], []],
  ['a path with an empty segment', ['spiffe://td//ns/pay/sa/api'], []],
  ['an escape in the namespace', ['spiffe://td/ns/%70ay/sa/api'], []],
  ['a SPIFFE ID within another', ['spiffe://evil/spiffe://td/ns/pay/sa/api'], []],
  ['a query with the right ID', ['spiffe://evil/x?spiffe://td/ns/pay/sa/api'], []],
  ['two URI SANs, the right one first', [PAY, 'spiffe://td/other'], []],
  ['two URI SANs, the right one last', ['spiffe://td/other', PAY], []],
  ['two right URI SANs', [PAY, 'spiffe://td/ns/pay/sa/db'], []],
  ['two URI SANs, the denied one first', [BANNED, WEB], ['from']],
  ['two URI SANs, the denied one last', [WEB, BANNED], ['from']],
  ['two URI SANs, the denied one among others', ['kuma://a/b', BANNED, WEB], ['from']],
  ['a caller of `from`', [WEB, 'kuma://env/dev'], ['from', 'both']],
  ['a caller of `from`, its SANs the other way round', ['kuma://env/dev', WEB], ['from', 'both']],
  ['a tag of `from`', ['spiffe://default/shop', 'kuma://env/prod'], ['from', 'both']],
  ['a tag of `from` in another mesh', ['spiffe://other/shop', 'kuma://env/prod'], []],
  ['a tag that begins alike', ['spiffe://default/shop', 'kuma://env/production'], []],
  ['a service that begins alike', ['spiffe://default/website'], []],
  ['a service below the right one', ['spiffe://default/web/x'], []],
  ['a service of another mesh', ['spiffe://other/web'], []],
  ['a denied service with a good tag', [BATCH, 'kuma://env/prod'], []],
  ['a denied service with a good tag, the other way round', ['kuma://env/prod', BATCH], []],
  ['a denied service that has another name too', [WEB, BATCH], []],
  ['a denied service that has another name first', [BATCH, WEB], []],
];

for (const [what, sans, where] of CALLERS) {
  it(`${what} (${sans.join(' and ')})`, async () => assert.deepEqual(await verdicts(await issue(sans)), expected(where)));
}

/** What no SPIFFE ID has is not judged: the connection is closed. */
for (const sans of [
  `spiffe://td/evil,${PAY}`,
  `${PAY},spiffe://td/evil`,
  `spiffe://default/evil,${WEB}`,
  `spiffe://td/evil,${WEB},x`,
  `${WEB},`,
]) {
  it(`a SAN with a comma (${sans})`, async () => {
    assert.deepEqual(await verdicts(await issue([sans])), expected([], 0));
    assert.deepEqual(await verdicts(await issue(['spiffe://default/shop', sans])), expected([], 0));
  });
}

it('a DNS SAN that looks like a SPIFFE ID', async () => {
  for (const id of [PAY, WEB]) assert.deepEqual(await verdicts(await issue(['spiffe://default/evil'], { dns: [id] })), expected([]));
  const tag = await issue(['spiffe://default/evil'], { dns: ['kuma://env/prod'] });
  assert.deepEqual(await verdicts(tag), expected([]));
});

it('a DNS SAN alone', async () => assert.deepEqual(await verdicts(await issue([], { dns: [WEB, PAY] })), expected([], 0)));

it('a subject that looks like a SPIFFE ID', async () => {
  const authority = served.authority;
  const files = await authority.issue('named', ['spiffe://default/evil'], [], { subject: WEB });
  assert.deepEqual(await verdicts(files), expected([]));
});

it('a certificate of another CA', async () => {
  const stranger = await createAuthority(scope.folder(), 'ca');
  for (const id of [PAY, WEB, 'spiffe://unknown/x']) {
    const files = await stranger.issue('stranger', [id]);
    assert.deepEqual(await verdicts({ ...files, ca: served.authority.ca }), expected([], 0));
  }
});

it('no certificate', async () => assert.deepEqual(await verdicts({ ca: served.authority.ca }), expected([], 0)));

it('a certificate without a SPIFFE ID', async () => {
  for (const sans of [[], ['https://td/ns/pay'], ['kuma://env/prod']]) assert.deepEqual(await verdicts(await issue(sans)), expected([], 0));
});

it('a certificate that has ended, or has not begun', async () => {
  for (const id of [PAY, WEB]) {
    assert.deepEqual(await verdicts(await issue([id], { hours: [-2, -1] })), expected([], 0));
    assert.deepEqual(await verdicts(await issue([id], { hours: [1, 2] })), expected([], 0));
  }
});

it('plain text', async () => {
  for (const shape of SHAPES) assert.equal((await httpCaller(scope, served.port(`http-${shape}`), undefined).ask()).status, 0);
});

it('a session is not taken up again: its certificate may have ended since', async () => {
  const { ca, cert, key } = await issue([PAY]);
  const options = {
    host: '127.0.0.1',
    ca: readFileSync(ca),
    cert: readFileSync(cert),
    key: readFileSync(key),
    checkServerIdentity: () => undefined,
  };
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const open = (session?: Buffer) =>
      new Promise<{ reused: boolean; session: Buffer | undefined }>((resolve, reject) => {
        const socket = connect({ ...options, maxVersion, port: served.port('tcp-lists'), session }, () => socket.write('x'));
        scope.add(() => void socket.destroy());
        let given: Buffer | undefined = undefined;
        socket.on('session', (one: Buffer) => (given = one));
        socket.on('error', reject);
        socket.once('data', () => resolve({ reused: socket.isSessionReused(), session: given ?? socket.getSession() }));
      });
    const first = await open();
    assert.equal((await open(first.session)).reused, false, maxVersion);
  }
});
