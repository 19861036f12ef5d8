import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type CutLink, startLink } from '../../demo/link.ts';
import { parseDocuments } from '../../src/resource/documents/parse-documents.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import { bootstrap } from '../../src/xds/envoy/bootstrap.ts';
import { parseNodeId } from '../../src/xds/server/proxy-id.ts';
import { type Daemon, startDaemon } from '../harness/daemon.ts';
import { freePorts, startEnvoy } from '../harness/envoy.ts';
import { startNats } from '../harness/nats.ts';
import type { Scope } from '../harness/scope.ts';
import { openTestStore } from '../harness/test-store.ts';
import { until } from '../harness/until.ts';
import { writeDocuments } from '../harness/write-drafts.ts';

/** A global with 1,000 policies and the zones east, west and north, of which west sends more than it may. */
export interface DashboardScene {
  readonly global: Daemon;
  readonly east: Daemon;
  readonly west: Daemon;
  /** Between north and NATS. */
  readonly link: CutLink;
  /** A zone that stands alone, with a mesh of 1,000 callers and 1,000 inbounds. */
  readonly lone: Daemon;
}

/** What a zone may hold at global. */
const MOST = 4;
const POLICIES = 1_000;
/** Of the large mesh: proxies with two inbounds each, and permissions. */
const PROXIES = 500;

async function send(url: string, method: 'PUT' | 'POST', path: string, document: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}${path}`, { method, body: JSON.stringify(document), headers });
  const text = await answer.text();
  assert.ok(answer.ok, text);
  return text === '' ? undefined : JSON.parse(text);
}

/** A sidecar with these ports, or a gateway: on that no permission is enforced. */
function dataplane(name: string, app: string, ports: readonly number[]): object {
  const tags = { 'kuma.io/service': app, 'kuma.io/protocol': 'http' };
  const listening = ports.length === 0 ? { gateway: { type: 'DELEGATED', tags } } : { inbound: ports.map((port) => ({ port, tags })) };
  return { type: 'Dataplane', mesh: 'default', name, labels: { app }, networking: { address: '127.0.0.1', ...listening } };
}

const below = (value: string) => ({ spiffeId: { type: 'Prefix', value } });
const exactly = (value: string) => ({ spiffeId: { type: 'Exact', value } });
const permissionFor = (name: string, app: string | undefined, conf: object) => ({
  type: 'MeshTrafficPermission',
  mesh: 'default',
  name,
  spec: { ...(app === undefined ? {} : { targetRef: { kind: 'Dataplane', labels: { app } } }), rules: [{ default: conf }] },
});

/** A permission of global that lets nobody of a namespace in. */
export async function permission(url: string, name: string, namespace: string): Promise<void> {
  const document = permissionFor(name, undefined, { deny: [below(`spiffe://default/ns/${namespace}`)] });
  await send(url, 'PUT', `/meshes/default/meshtrafficpermissions/${name}`, document);
}

const SHOP = [
  permissionFor('shop', 'backend', {
    allow: [below('spiffe://default/ns/shop')],
    allowWithShadowDeny: [below('spiffe://default/ns/batch')],
  }),
  permissionFor('orders', 'orders', { allow: [{ ...below('spiffe://default/ns/shop'), method: 'GET' }] }),
  permissionFor('web-to-orders', 'orders', { allow: [exactly('spiffe://default.west.mesh.local/dataplane/web-2')] }),
  permissionFor('web', 'web', { allow: [below('spiffe://default')] }),
];

function timeout(index: number): object {
  const spec = {
    targetRef: { kind: 'Dataplane', labels: { app: `app-${index % 500}` } },
    to: [{ targetRef: { kind: 'Mesh' }, default: { connectionTimeout: '5s' } }],
  };
  return { type: 'MeshTimeout', mesh: 'default', name: `timeout-${index}`, spec };
}

/** The large mesh of the lone zone: a dozen callers may call each service. */
function manyProxies(): object[] {
  return Array.from({ length: PROXIES }, (_, index) => [
    dataplane(`app-${String(index).padStart(3, '0')}`, `app-${index % 40}`, [8080, 9090]),
    permissionFor(`for-${index}`, `app-${index % 40}`, {
      allow: [exactly(`spiffe://default/ns/shop/sa/caller-${String(index).padStart(3, '0')}`)],
      ...(index % 40 === 3 ? { deny: [{ ...below(`spiffe://default/ns/shop`), path: { type: 'Prefix', value: '/admin' } }] } : {}),
    }),
  ]).flat();
}

/** A zone that stands alone, with a mesh of 1,000 callers and 1,000 inbounds. */
async function startLone(scope: Scope): Promise<Daemon> {
  const variables = {
    MERIDIAN_NATS_URL: '',
    MERIDIAN_ZONE_NAME: 'lone',
    MERIDIAN_ENVIRONMENT: 'universal',
    MERIDIAN_DATA_DIR: dataOfLone(scope),
  };
  const lone = await startDaemon(scope, 'zone', variables);
  await send(lone.url, 'POST', '/apply', manyProxies());
  return lone;
}

/** A mesh comes from global: for a zone that stands alone it is put into the store as the sync does. */
function dataOfLone(scope: Scope): string {
  const folder = join(scope.folder(), 'data');
  const store = openTestStore(join(folder, 'meridian.db'));
  writeDocuments({ place: GLOBAL, store, now: () => '2026-01-01T00:00:00Z' }, parseDocuments('{type: Mesh, name: default}'));
  store.close();
  return folder;
}

/** A real Envoy of a Dataplane of which a port is taken: it refuses that listener, and says why. */
async function startEnvoyOf(scope: Scope, zone: Daemon, name: string): Promise<void> {
  const line = zone.log().find(({ msg, component }) => msg === 'listening' && component === 'xds');
  const issued = await send(zone.url, 'POST', '/_proxy-tokens', { mesh: 'default', dataplane: name, validFor: '1h' });
  const { token, nodeId } = issued as { token: string; nodeId: string };
  const proxy = parseNodeId(nodeId);
  assert.ok(proxy);
  await startEnvoy(scope, bootstrap({ ...proxy, xdsAddress: `127.0.0.1:${String(line?.port)}`, token, adminPort: 0 }));
  await until('its Envoy has said what it refuses', async () => {
    const answer = await fetch(`${zone.url}/_proxies`);
    return (await answer.text()).includes('Address already in use');
  });
}

export async function startScene(scope: Scope): Promise<DashboardScene> {
  const nats = await startNats(scope);
  const link = await startLink(scope, Number(new URL(nats.url).port));
  const zone = (name: string, natsUrl = nats.url) =>
    startDaemon(scope, 'zone', { MERIDIAN_NATS_URL: natsUrl, MERIDIAN_ZONE_NAME: name, MERIDIAN_ENVIRONMENT: 'universal' });
  const [global, east, west, north] = await Promise.all([
    startDaemon(scope, 'global', { MERIDIAN_NATS_URL: nats.url, MERIDIAN_ZONE_MAX_RESOURCES: `${MOST}` }),
    zone('east'),
    zone('west'),
    zone('north', `nats://127.0.0.1:${link.port}`),
  ]);
  await Promise.all([east, west, north].map((one) => one.untilReady()));
  const lone = await startLone(scope);
  await permission(global.url, 'no-legacy', 'legacy');
  await send(global.url, 'POST', '/apply', [...SHOP, ...Array.from({ length: POLICIES - 6 }, (_, index) => timeout(index))]);
  const [port = 0] = await freePorts(1);
  await send(east.url, 'POST', '/apply', [
    dataplane('backend', 'backend', [8080]),
    dataplane('orders', 'orders', [port, Number(new URL(east.url).port)]),
  ]);
  await send(west.url, 'POST', '/apply', [
    dataplane('web-1', 'web', []),
    ...['web-2', 'web-3', 'web-4'].map((name) => dataplane(name, 'web', [8080])),
  ]);
  await send(west.url, 'PUT', '/meshes/default/dataplanes/web-5', dataplane('web-5', 'web', [8080]));
  await send(north.url, 'PUT', '/meshes/default/dataplanes/billing', dataplane('billing', 'billing', [8443]));
  await until('global has what it takes of the zones', async () => {
    const answer = await fetch(`${global.url}/dataplanes`);
    return ((await answer.json()) as { total: number }).total === 2 + MOST + 1;
  });
  await until('the zones have all policies', async () => {
    const answer = await fetch(`${global.url}/_sync`);
    return ((await answer.json()) as { peers: { late: number; online: boolean }[] }).peers.every(
      ({ late, online }) => late === 0 && online,
    );
  });
  await startEnvoyOf(scope, east, 'orders');
  return { global, east, west, link, lone };
}
