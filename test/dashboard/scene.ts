import assert from 'node:assert/strict';
import { type Daemon, startDaemon } from '../harness/daemon.ts';
import { startNats } from '../harness/nats.ts';
import type { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';

/** A global with the zones east and west, of which west sends more than it may. */
export interface DashboardScene {
  readonly global: Daemon;
  readonly east: Daemon;
  readonly west: Daemon;
}

/** What a zone may hold at global. */
const MOST = 2;

async function put(url: string, path: string, document: object): Promise<void> {
  const answer = await fetch(`${url}${path}`, {
    method: 'PUT',
    body: JSON.stringify(document),
    headers: { 'content-type': 'application/json' },
  });
  assert.ok(answer.ok, await answer.text());
}

/** A sidecar, or a gateway: on that no permission is enforced. */
function dataplane(url: string, name: string, kind: 'sidecar' | 'gateway' = 'sidecar'): Promise<void> {
  const tags = { 'kuma.io/service': name };
  const listening = kind === 'gateway' ? { gateway: { type: 'DELEGATED', tags } } : { inbound: [{ port: 8080, tags }] };
  const networking = { address: '127.0.0.1', ...listening };
  return put(url, `/meshes/default/dataplanes/${name}`, { type: 'Dataplane', mesh: 'default', name, networking });
}

/** A permission of global that lets nobody of a namespace in. */
export function permission(url: string, name: string, namespace: string): Promise<void> {
  const deny = [{ spiffeId: { type: 'Prefix', value: `spiffe://default/ns/${namespace}` } }];
  const document = { type: 'MeshTrafficPermission', mesh: 'default', name, spec: { rules: [{ default: { deny } }] } };
  return put(url, `/meshes/default/meshtrafficpermissions/${name}`, document);
}

export async function startScene(scope: Scope): Promise<DashboardScene> {
  const nats = await startNats(scope);
  const zone = (name: string) =>
    startDaemon(scope, 'zone', { MERIDIAN_NATS_URL: nats.url, MERIDIAN_ZONE_NAME: name, MERIDIAN_ENVIRONMENT: 'universal' });
  const [global, east, west] = await Promise.all([
    startDaemon(scope, 'global', { MERIDIAN_NATS_URL: nats.url, MERIDIAN_ZONE_MAX_RESOURCES: `${MOST}` }),
    zone('east'),
    zone('west'),
  ]);
  await Promise.all([east.untilReady(), west.untilReady()]);
  await permission(global.url, 'no-legacy', 'legacy');
  await dataplane(east.url, 'backend');
  await dataplane(west.url, 'web-1', 'gateway');
  for (const name of ['web-2', 'web-3']) await dataplane(west.url, name);
  await until('global has what it takes of the zones', async () => {
    const answer = await fetch(`${global.url}/dataplanes`);
    return ((await answer.json()) as { total: number }).total === 1 + MOST;
  });
  return { global, east, west };
}
