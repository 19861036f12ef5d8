import { type Daemon, startDaemon } from '../test/harness/daemon.js';
import { startNats } from '../test/harness/nats.js';
import type { Scope } from '../test/harness/scope.js';

/** NATS, a global and two zones as real processes. */
export interface System {
  readonly global: Daemon;
  readonly east: Daemon;
  readonly west: Daemon;
}

export async function startSystem(scope: Scope): Promise<System> {
  const nats = await startNats(scope);
  const common = { MERIDIAN_NATS_URL: nats.url };
  const [global, east, west] = await Promise.all([
    startDaemon(scope, 'global', common),
    startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'east' }),
    startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'west' }),
  ]);
  await Promise.all([global.untilReady(), east.untilReady(), west.untilReady()]);
  return { global, east, west };
}

/** A policy of about 400 bytes that every zone gets. */
export function policy(index: number, version: string) {
  const value = `spiffe://default/ns/app-${index}/sa/${version}`;
  return {
    type: 'MeshTrafficPermission',
    mesh: 'default',
    name: `bulk-${index}`,
    spec: { targetRef: { kind: 'Dataplane' }, rules: [{ default: { allow: [{ spiffeID: { type: 'Exact', value } }] } }] },
  };
}

export async function apply(daemon: Daemon, documents: readonly unknown[]): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${daemon.url}/apply`, { method: 'POST', headers, body: JSON.stringify(documents) });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  await response.text();
}

export async function getJson<T>(url: string): Promise<T> {
  const response = await fetch(url);
  return (await response.json()) as T;
}

export async function count(daemon: Daemon): Promise<number> {
  return (await getJson<{ total: number }>(`${daemon.url}/meshes/default/meshtrafficpermissions?size=1`)).total;
}

export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
