import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bootstrap } from '../src/xds/envoy/bootstrap.ts';
import { parseNodeId } from '../src/xds/server/proxy-id.ts';
import { startHttpApplication, startTcpApplication } from './harness/application.ts';
import { httpCaller, tcpCaller } from './harness/caller.ts';
import { type TestAuthority, type IssuedCertificate, createAuthority } from './harness/certificates.ts';
import { type Daemon, startDaemon } from './harness/daemon.ts';
import { type Envoy, freePorts, startEnvoy } from './harness/envoy.ts';
import { type Nats, startNats } from './harness/nats.ts';
import { Scope } from './harness/scope.ts';
import { until } from './harness/until.ts';

/** Real processes: global, a zone, NATS, and an Envoy that enforces what the zone compiles. */

const [WEB, OTHER] = ['spiffe://default.east.mesh.local/ns/shop/sa/web', 'spiffe://default.east.mesh.local/ns/shop/sa/other'];
const DATAPLANE = 'backend-1.shop';
const scope = new Scope();
after(() => scope.close());

let port: Record<'http' | 'tcp' | 'xds', number>;
let nats: Nats;
let global: Daemon;
let east: Daemon;
let authority: TestAuthority;
let web: IssuedCertificate;
let other: IssuedCertificate;

const exact = (value: string) => ({ spiffeId: { type: 'Exact', value } });

function permission(name: string, namespace: string | undefined, lists: unknown): object {
  const spec = { targetRef: { kind: 'Mesh' }, rules: [{ default: lists }] };
  return { apiVersion: 'kuma.io/v1alpha1', kind: 'MeshTrafficPermission', metadata: { name, namespace }, spec };
}

const asking = (body: unknown) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

async function post(daemon: Daemon, path: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${daemon.url}${path}`, asking(body));
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text) as Record<string, unknown>;
}

const apply = (daemon: Daemon, ...documents: unknown[]) => post(daemon, '/apply', documents);

const connectedTo = (daemon: Daemon): boolean => daemon.log().some(({ msg }) => msg === 'a proxy is connected');

async function envoyOf(daemon: Daemon, spoil: (token: string) => string = (token) => token): Promise<Envoy> {
  const { token, nodeId } = await post(daemon, '/_proxy-tokens', { mesh: 'default', dataplane: DATAPLANE, validFor: '1h' });
  const proxy = parseNodeId(String(nodeId));
  assert.deepEqual(proxy, { mesh: 'default', name: DATAPLANE });
  return startEnvoy(scope, bootstrap({ ...proxy, xdsAddress: `127.0.0.1:${port.xds}`, token: spoil(String(token)), adminPort: 0 }));
}

function dataplane(httpApplication: number, tcpApplication: number): object {
  const inbound = [
    { name: 'web', port: port.http, servicePort: httpApplication, protocol: 'http', tags: { 'kuma.io/service': 'backend' } },
    { name: 'db', port: port.tcp, servicePort: tcpApplication, protocol: 'tcp', tags: { 'kuma.io/service': 'db' } },
  ];
  const metadata = { name: 'backend-1', namespace: 'shop' };
  return {
    apiVersion: 'kuma.io/v1alpha1',
    kind: 'Dataplane',
    mesh: 'default',
    metadata,
    spec: { networking: { address: '127.0.0.1', inbound } },
  };
}

/** Where the zone says that the proxy finds its certificate. */
async function certificatesFor(folder: string): Promise<void> {
  const files = await authority.issue('own', ['spiffe://default.east.mesh.local/ns/shop/sa/backend']);
  const place = join(folder, 'default', DATAPLANE);
  mkdirSync(place, { recursive: true });
  for (const file of ['ca', 'cert', 'key'] as const) copyFileSync(files[file], join(place, `${file}.pem`));
}

before(async () => {
  const folder = scope.folder();
  authority = await createAuthority(scope.folder());
  [web, other] = [await authority.issue('web', [WEB]), await authority.issue('other', [OTHER])];
  await certificatesFor(folder);
  const [http = 0, tcp = 0, xds = 0] = await freePorts(3);
  port = { http, tcp, xds };
  nats = await startNats(scope);
  [global, east] = await Promise.all([
    startDaemon(scope, 'global', { MERIDIAN_NATS_URL: nats.url }),
    startDaemon(scope, 'zone', {
      MERIDIAN_NATS_URL: nats.url,
      MERIDIAN_ZONE_NAME: 'east',
      MERIDIAN_XDS_PORT: String(xds),
      MERIDIAN_PROXY_CERT_DIR: folder,
    }),
  ]);
  await east.untilReady();
  await apply(east, dataplane(await startHttpApplication(scope), await startTcpApplication(scope)));
});

test('an Envoy enforces what its zone has, and what global sends', async () => {
  await envoyOf(east);
  const [first, second] = [httpCaller(scope, port.http, web), httpCaller(scope, port.http, other)];
  const answers = async () => [(await first.ask()).status, (await second.ask()).status];
  await until('nobody gets in without a policy', async () => (await answers()).join() === '403,403');
  assert.equal(await tcpCaller(scope, port.tcp, web).say('a'), undefined);

  await apply(east, permission('own', 'shop', { allow: [exact(WEB), exact(OTHER)] }));
  await until('both get in', async () => (await answers()).join() === '200,200');
  const open = tcpCaller(scope, port.tcp, web);
  await until('TCP too', async () => (await tcpCaller(scope, port.tcp, other).say('b')) === 'b');
  assert.equal(await open.say('c'), 'c');
  const connections = first.connections();

  await apply(global, permission('no-web', undefined, { deny: [exact(WEB)] }));
  await until("global's deny is enforced", async () => (await answers()).join() === '403,200');
  assert.equal(first.connections(), connections, 'on the open connection');
  await until('the open TCP connection ends', () => open.closed());
  assert.equal(await tcpCaller(scope, port.tcp, web).say('d'), undefined);
  assert.equal(await tcpCaller(scope, port.tcp, other).say('e'), 'e');

  await Promise.all([nats.stop(), global.stop()]);
  assert.equal(await east.stop(), 0);
  assert.deepEqual(await answers(), [403, 200], 'without its zone');
  east = await east.again();
  await until('the proxy is back', () => connectedTo(east));
  assert.deepEqual(await answers(), [403, 200]);
  await apply(east, permission('own', 'shop', { allow: [exact(WEB)] }));
  await until('the zone alone changes it', async () => (await answers()).join() === '403,403');
});

test('a proxy without a proof of its own gets nothing', async () => {
  const impostor = await envoyOf(east, (token) => `x${token}`);
  await until('it was refused', () => east.log().some(({ msg }) => msg.startsWith('a proxy was refused')));
  assert.equal(await impostor.stat('listener_manager.total_listeners_active'), 0);
  const answer = (dataplane: string) => fetch(`${east.url}/_proxy-tokens`, asking({ mesh: 'default', dataplane }));
  assert.equal((await answer('backend-2.shop')).status, 404);
});
