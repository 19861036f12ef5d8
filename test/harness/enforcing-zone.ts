import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from '../../src/xds/envoy/bootstrap.ts';
import { parseNodeId } from '../../src/xds/server/proxy-id.ts';
import { startMirror, startTcpApplication } from './application.ts';
import { type TestAuthority, createAuthority } from './certificates.ts';
import { type Daemon, startDaemon } from './daemon.ts';
import { type Envoy, freePorts, startEnvoy } from './envoy.ts';
import { type Nats, startNats } from './nats.ts';
import type { Scope } from './scope.ts';
import { until } from './until.ts';

/** Real processes: a zone with its global and NATS, one Dataplane, its Envoy, and the applications behind it. */
export interface EnforcingZone {
  readonly zone: Daemon;
  readonly global: Daemon;
  readonly nats: Nats;
  readonly envoy: Envoy;
  /** Whose certificates the Envoy trusts. */
  readonly authority: TestAuthority;
  /** Of an inbound. */
  port(inbound: string): number;
  /** POST /apply. */
  apply(...documents: object[]): Promise<void>;
  /** Deletes a permission that `permission` made. */
  remove(name: string): Promise<void>;
  /** The zone's Dataplane with these inbounds: of those that were given, or whole ones. */
  dataplane(...inbounds: (string | object)[]): object;
  /** Starts the Dataplane's Envoy (again). */
  startEnvoy(): Promise<Envoy>;
  /** Starts the zone again on the same data and ports. */
  again(): Promise<Daemon>;
}

export const DATAPLANE = 'backend-1.shop';

/** `inbounds`: the protocol of each. Waits until the Envoy listens. `version`: of the Envoy. */
export async function startEnforcingZone(
  scope: Scope,
  inbounds: Readonly<Record<string, 'http' | 'tcp'>>,
  version?: string,
): Promise<EnforcingZone> {
  const names = Object.keys(inbounds);
  const [xds = 0, ...ports] = await freePorts(names.length + 1);
  const [folder, authority] = [scope.folder(), await createAuthority(scope.folder())];
  await placeCertificates(folder, authority);
  const applications = { http: await startMirror(scope), tcp: await startTcpApplication(scope) };
  const port = (name: string): number => ports[names.indexOf(name)] ?? 0;
  const dataplane = (...chosen: (string | object)[]): object => {
    const inbound = chosen.map((name) => {
      if (typeof name !== 'string') return name;
      const protocol = inbounds[name] ?? 'tcp';
      return { name, port: port(name), servicePort: applications[protocol], protocol, tags: { 'kuma.io/service': name } };
    });
    return document('Dataplane', 'backend-1', { networking: { address: '127.0.0.1', inbound } });
  };
  const server = await startNats(scope);
  const nats = { MERIDIAN_NATS_URL: server.url };
  const variables = { ...nats, MERIDIAN_ZONE_NAME: 'east', MERIDIAN_XDS_PORT: String(xds), MERIDIAN_PROXY_CERT_DIR: folder };
  const [global, started] = await Promise.all([startDaemon(scope, 'global', nats), startDaemon(scope, 'zone', variables)]);
  let zone = started;
  const apply = async (...documents: object[]): Promise<void> => void (await post(zone, '/apply', documents));
  const connect = async (): Promise<Envoy> => {
    const { token, nodeId } = await post(zone, '/_proxy-tokens', { mesh: 'default', dataplane: DATAPLANE, validFor: '1h' });
    const proxy = parseNodeId(String(nodeId));
    assert.ok(proxy);
    return startEnvoy(scope, bootstrap({ ...proxy, xdsAddress: `127.0.0.1:${xds}`, token: String(token), adminPort: 0 }), version);
  };
  await zone.untilReady();
  await apply(dataplane(...names));
  const envoy = await connect();
  await until('the Envoy listens', async () => (await envoy.stat('listener_manager.total_listeners_active')) === names.length);
  await until('its workers too', async () => (await envoy.stat('listener_manager.workers_started')) === 1);
  return {
    get zone() {
      return zone;
    },
    global,
    nats: server,
    envoy,
    authority,
    port,
    apply,
    remove: (name) => remove(zone, `/meshes/default/meshtrafficpermissions/${name}.shop`),
    dataplane,
    startEnvoy: connect,
    again: async () => (zone = await zone.again()),
  };
}

/** A MeshTrafficPermission of the Dataplane's namespace: for one of its inbounds, or all. */
export function permission(name: string, inbound: string | undefined, shape: object): object {
  const targetRef = inbound === undefined ? { kind: 'Mesh' } : { kind: 'Dataplane', sectionName: inbound };
  return document('MeshTrafficPermission', name, { targetRef, ...shape });
}

/** Lists of matchers. */
export const lists = (given: Readonly<Record<string, readonly object[]>>): object => ({ rules: [{ default: given }] });

/** Items of `from`, each with its action. */
export const from = (...items: readonly (readonly [object, string])[]): object => ({
  from: items.map(([targetRef, action]) => ({ targetRef, default: { action } })),
});

function document(kind: string, name: string, spec: object): object {
  const metadata = { name, namespace: 'shop', labels: { 'kuma.io/mesh': 'default' } };
  return { apiVersion: 'kuma.io/v1alpha1', kind, metadata, spec };
}

/** Where the zone says that the proxy finds its certificate. */
async function placeCertificates(folder: string, authority: TestAuthority): Promise<void> {
  const files = await authority.issue('own', ['spiffe://td/ns/shop/sa/backend']);
  const place = join(folder, 'default', DATAPLANE);
  mkdirSync(place, { recursive: true });
  for (const file of ['ca', 'cert', 'key'] as const) copyFileSync(files[file], join(place, `${file}.pem`));
}

async function remove(daemon: Daemon, path: string): Promise<void> {
  assert.equal((await fetch(`${daemon.url}${path}`, { method: 'DELETE' })).status, 200);
}

async function post(daemon: Daemon, path: string, body: unknown): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${daemon.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  assert.equal(response.status, 200, `${text}\n${daemon.lines.slice(-3).join('\n')}`);
  return JSON.parse(text) as Record<string, unknown>;
}
