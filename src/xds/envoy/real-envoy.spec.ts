import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { startHttpApplication, startTcpApplication } from '../../../test/harness/application.ts';
import { httpCaller, tcpCaller } from '../../../test/harness/caller.ts';
import { type TestAuthority, type IssuedCertificate, createAuthority } from '../../../test/harness/certificates.ts';
import { type Envoy, freePorts, startEnvoy } from '../../../test/harness/envoy.ts';
import { allowOnly } from '../../../test/harness/rbac.ts';
import { Scope } from '../../../test/harness/scope.ts';
import { until } from '../../../test/harness/until.ts';
import type { JsonObject } from '../../resource/resource.ts';
import { bootstrap } from './bootstrap.ts';
import { authenticator } from '../server/authenticate-caller.ts';
import { generate } from './generate-snapshot.ts';
import type { InboundInput } from './inbound-input.ts';

import { startXds, type Xds } from '../server/xds-server.ts';
import { issueToken } from '../server/proxy-token.ts';
import { TYPE_URLS } from '../wire/resource-types.ts';

const PROXY = { mesh: 'default', name: 'backend-1.shop' };
const [WEB, OTHER] = ['spiffe://default.east.mesh.local/ns/shop/sa/web', 'spiffe://default.east.mesh.local/ns/shop/sa/other'];
const SECRET = randomBytes(32);
const scope = new Scope();

let authority: TestAuthority;
let web: IssuedCertificate;
let other: IssuedCertificate;
let xds: Xds;
let envoy: Envoy;
/** What the zone would have made of the policies. */
let inbounds: InboundInput[] = [];
let own: IssuedCertificate;
let port: Record<'http' | 'tcp' | 'mixed' | 'more' | 'xds', number>;

const serve = async (): Promise<Xds> => {
  const started = await startXds({
    address: '127.0.0.1',
    port: port.xds,
    authenticate: authenticator(SECRET, () => Date.now() / 1000),
    snapshotOf: () => generate({ inbounds, certificates: own }),
    report: () => {},
  });
  scope.add(() => started.close());
  return started;
};

/** Changes the inbounds, and waits until Envoy has taken all or refused some. */
async function give(change: (inbound: InboundInput) => InboundInput): Promise<void> {
  inbounds = inbounds.map(change);
  xds.changed(PROXY);
  await settled();
}

const settled = () =>
  until('Envoy has answered', () => {
    const types = xds.view(PROXY)?.streams[0]?.types;
    return types?.some(({ typeUrl }) => typeUrl === TYPE_URLS.routes) && types.every(({ waiting }) => !waiting);
  });

const refusals = () => xds.view(PROXY)?.streams.flatMap(({ types }) => types.flatMap(({ refused }) => refused)) ?? [];
const only = (name: string, rbac: JsonObject) => (inbound: InboundInput) =>
  inbound.name === name ? { ...inbound, rbac: { http: rbac, network: rbac } } : inbound;
const everywhere = (rbac: JsonObject) => (inbound: InboundInput) => ({ ...inbound, rbac: { http: rbac, network: rbac } });

before(async () => {
  const folder = scope.folder();
  authority = await createAuthority(folder);
  own = await authority.issue('backend', ['spiffe://default.east.mesh.local/ns/shop/sa/backend']);
  web = await authority.issue('web', [WEB]);
  other = await authority.issue('other', [OTHER]);
  const [httpPort, tcpPort] = [await startHttpApplication(scope), await startTcpApplication(scope)];
  const [http = 0, tcp = 0, mixed = 0, more = 0, free = 0] = await freePorts(5);
  port = { http, tcp, mixed, more, xds: free };
  const common = { address: '127.0.0.1', rbac: { http: allowOnly(WEB), network: allowOnly(WEB) }, plaintextToo: false };
  inbounds = [
    { ...common, name: 'http', port: port.http, servicePort: httpPort, protocol: 'http' },
    { ...common, name: 'tcp', port: port.tcp, servicePort: tcpPort, protocol: 'tcp' },
    { ...common, name: 'mixed', port: port.mixed, servicePort: httpPort, protocol: 'http', plaintextToo: true },
  ];
  xds = await serve();
  const token = issueToken(SECRET, PROXY, Date.now() / 1000 + 3600);
  envoy = await startEnvoy(scope, bootstrap({ ...PROXY, xdsAddress: `127.0.0.1:${port.xds}`, token, adminPort: 0 }));
  await until('the listeners are there', async () => (await envoy.stat('listener_manager.total_listeners_active')) === 3);
  await settled();
});
after(() => scope.close());

it('takes all of it', () => {
  assert.deepEqual(refusals(), []);
  assert.match(xds.view(PROXY)?.streams[0]?.envoyVersion ?? '', /^1\.\d+\.\d+$/);
});

describe('mutual TLS', () => {
  it('lets in who is allowed, over HTTP and TCP', async () => {
    assert.deepEqual(await httpCaller(scope, port.http, web).ask({ path: '/a' }), { status: 200, body: 'GET /a' });
    assert.equal(await tcpCaller(scope, port.tcp, web).say('hello'), 'hello');
  });

  it('denies who is not', async () => {
    assert.equal((await httpCaller(scope, port.http, other).ask()).status, 403);
    assert.equal(await tcpCaller(scope, port.tcp, other).say('hello'), undefined);
  });

  it('refuses callers without a certificate of the CA with a SPIFFE ID', async () => {
    const stranger = await (await createAuthority(scope.folder(), 'stranger')).issue('web', [WEB]);
    const callers = [
      { ca: own.ca },
      { ...stranger, ca: own.ca },
      await authority.issue('nobody', []),
      await authority.issue('kuma', ['kuma://a/b']),
    ];
    for (const files of callers) {
      assert.equal((await httpCaller(scope, port.http, files).ask()).status, 0);
      assert.equal(await tcpCaller(scope, port.tcp, files).say('hello'), undefined);
    }
  });

  it('is not needed where plain text is taken too, and TLS has its RBAC there', async () => {
    assert.equal((await httpCaller(scope, port.mixed, undefined).ask()).status, 200);
    assert.equal((await httpCaller(scope, port.mixed, web).ask()).status, 200);
    assert.equal((await httpCaller(scope, port.mixed, other).ask()).status, 403);
    assert.equal((await httpCaller(scope, port.http, undefined).ask()).status, 0);
  });
});

it('gives the application plain paths only', async () => {
  const { ask } = httpCaller(scope, port.http, web);
  assert.equal((await ask({ path: '/public/../admin' })).body, 'GET /admin');
  assert.equal((await ask({ path: '//admin///x' })).body, 'GET /admin/x');
  assert.equal((await ask({ path: '/%61dmin?a=/../b;c' })).body, 'GET /admin?a=/../b;c');
  const ambiguous = ['/public%2F..%2Fadmin', '/public%5c..%5cadmin', '/admin;x', `/${'a'.repeat(50_000)};x`, '/admin#x'];
  for (const path of ambiguous) assert.equal((await ask({ path })).status, 400, path.slice(0, 80));
  assert.equal((await ask({ headers: { a_b: 'c' } })).status, 400);
});

it('holds a changed HTTP RBAC at once, on an open connection', async () => {
  const { ask, connections } = httpCaller(scope, port.http, web);
  assert.equal((await ask()).status, 200);
  await give(only('http', allowOnly(OTHER)));
  assert.equal((await ask()).status, 403);
  await give(only('http', {}));
  assert.equal((await ask()).status, 403);
  assert.equal((await httpCaller(scope, port.http, other).ask()).status, 403);
  await give(only('http', allowOnly(WEB)));
  assert.equal((await ask()).status, 200);
  assert.equal(connections(), 1);
  assert.equal(await envoy.stat('listener_manager.listener_modified'), 0);
});

it('holds a changed network RBAC for new connections at once, and ends open ones', async () => {
  const open = tcpCaller(scope, port.tcp, web);
  assert.equal(await open.say('a'), 'a');
  await give(only('tcp', allowOnly(OTHER)));
  await until('the new listener is in force', async () => (await tcpCaller(scope, port.tcp, web).say('b')) === undefined);
  assert.equal(await tcpCaller(scope, port.tcp, other).say('c'), 'c');
  await until('the old connection ends', () => open.closed());
  await give(only('tcp', allowOnly(WEB)));
});

it("puts a route's RBAC in place of the inbound's, on an open connection too", async () => {
  const [asWeb, asOther] = [httpCaller(scope, port.http, web), httpCaller(scope, port.http, other)];
  assert.equal((await asWeb.ask({ path: '/admin' })).status, 200);
  const match = { pathSeparatedPrefix: '/admin' };
  const routes = (rbac: JsonObject | undefined) => (inbound: InboundInput) =>
    inbound.name === 'http' ? { ...inbound, routes: rbac && [{ match, rbac }] } : inbound;
  await give(routes(allowOnly(OTHER)));
  assert.deepEqual([(await asWeb.ask({ path: '/admin/x' })).status, (await asOther.ask({ path: '/admin/x' })).status], [403, 200]);
  assert.deepEqual([(await asWeb.ask({ path: '/x' })).status, (await asOther.ask({ path: '/x' })).status], [200, 403]);
  await give(routes({}));
  assert.equal((await asOther.ask({ path: '/admin' })).status, 403);
  await give(routes(undefined));
  assert.equal((await asWeb.ask({ path: '/admin' })).status, 200);
  assert.equal(asWeb.connections(), 1);
});

describe('an update that Envoy refuses', () => {
  /** No Envoy has such an input. */
  const bad: JsonObject = { matcher: { matcherTree: { input: { name: 'no-such-input' }, exactMatchMap: { map: {} } } } };

  it('leaves the last good rules in force, is seen, and holds up nothing else', async () => {
    await give((inbound) => (inbound.name === 'mixed' ? everywhere(allowOnly(OTHER))(inbound) : everywhere(bad)(inbound)));
    const seen = await until('both are refused alone', () => (refusals().length === 2 ? refusals() : undefined));
    assert.deepEqual(seen.map(({ name }) => name).sort(), [`inbound:127.0.0.1:${port.tcp}`, 'rbac:http']);
    for (const { message } of seen) assert.match(message, /no-such-input|[Dd]idn't find|matcher/);
    assert.equal((await httpCaller(scope, port.http, web).ask()).status, 200);
    assert.equal((await httpCaller(scope, port.http, other).ask()).status, 403);
    assert.equal(await tcpCaller(scope, port.tcp, web).say('a'), 'a');
    assert.equal(await tcpCaller(scope, port.tcp, other).say('b'), undefined);
    await until('the good one arrived', async () => (await httpCaller(scope, port.mixed, other).ask()).status === 200);
  });

  it('is forgotten when a good one comes', async () => {
    await give(everywhere(allowOnly(WEB)));
    await until('nothing is refused', () => refusals().length === 0);
    assert.equal((await httpCaller(scope, port.mixed, other).ask()).status, 403);
  });
});

it('reads a replaced certificate without a word from us', async () => {
  await authority.issue('backend', ['spiffe://default.east.mesh.local/ns/shop/sa/backend-again']);
  await until('the certificate is the new one', async () => (await envoy.admin('/certs')).includes('backend-again'));
  assert.equal((await httpCaller(scope, port.http, web).ask()).status, 200);
});

it('goes on while the server is away, and takes up only what changed when it is back', async () => {
  const changes = () => Promise.all(['added', 'modified', 'removed'].map((what) => envoy.stat(`listener_manager.listener_${what}`)));
  const counted = await changes();
  await xds.close();
  await until('the stream is lost', async () => (await envoy.stat('control_plane.connected_state')) === 0);
  assert.equal((await httpCaller(scope, port.http, web).ask()).status, 200);
  assert.equal((await httpCaller(scope, port.http, other).ask()).status, 403);
  inbounds = inbounds.map(only('http', allowOnly(OTHER)));
  xds = await serve();
  await until('the change arrived', async () => (await httpCaller(scope, port.http, other).ask()).status === 200);
  await settled();
  assert.deepEqual(await changes(), counted);
  assert.equal(await tcpCaller(scope, port.tcp, web).say('a'), 'a');
});

it('adds and takes away an inbound', async () => {
  const more = { ...inbounds[0], name: 'more', port: port.more } as InboundInput;
  inbounds = [...inbounds, more];
  xds.changed(PROXY);
  await until('it is there', async () => (await httpCaller(scope, port.more, other).ask()).status === 200);
  inbounds = inbounds.slice(0, -1);
  xds.changed(PROXY);
  await until('it is gone', async () => (await httpCaller(scope, port.more, other).ask()).status === 0);
  await until('its cluster is gone', async () => !(await envoy.admin('/clusters')).includes('local:more'));
  assert.deepEqual(refusals(), []);
});
