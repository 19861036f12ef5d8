import { Agent, request } from 'node:http';
import { type Daemon, startDaemon } from '../test/harness/daemon.ts';
import { startNats } from '../test/harness/nats.ts';
import type { Scope } from '../test/harness/scope.ts';

/** NATS, a global and two zones as real processes. */
export interface BenchSystem {
  readonly global: Daemon;
  readonly east: Daemon;
  readonly west: Daemon;
}

export async function startSystem(scope: Scope): Promise<BenchSystem> {
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

/** One connection that stays open: `fetch` would add milliseconds of its own to what is measured. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

export function apply(daemon: Daemon, documents: readonly unknown[]): Promise<void> {
  const body = JSON.stringify(documents);
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(`${daemon.url}/apply`, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}: ${text}`))));
    });
    sent.on('error', reject);
    sent.end(body);
  });
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
