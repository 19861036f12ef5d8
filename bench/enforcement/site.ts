import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from '../../src/xds/envoy/bootstrap.ts';
import { startHttpApplication } from '../../test/harness/application.ts';
import { type TestAuthority, createAuthority } from '../../test/harness/certificates.ts';
import { type Daemon, startDaemon } from '../../test/harness/daemon.ts';
import { type Envoy, freePorts, startEnvoy } from '../../test/harness/envoy.ts';
import { startNats } from '../../test/harness/nats.ts';
import type { Scope } from '../../test/harness/scope.ts';
import { apply, getJson } from '../system.ts';

/** A zone with a global, as real processes, and an Envoy with HTTP inbounds. */
export interface EnforcingSite {
  readonly east: Daemon;
  readonly envoy: Envoy;
  readonly authority: TestAuthority;
  /** By the inbounds' names. */
  readonly ports: Readonly<Record<string, number>>;
}

const NAMESPACE = 'shop';
export const identity = (name: string): string => `spiffe://default.east.mesh.local/ns/${NAMESPACE}/sa/${name}`;

/** A resource of the namespace `shop`. */
export function resource(kind: string, name: string, spec: unknown): object {
  return { apiVersion: 'kuma.io/v1alpha1', kind, mesh: 'default', metadata: { name, namespace: NAMESPACE }, spec };
}

/** Allows some identities. */
export function permission(name: string, identities: readonly string[], targetRef: object): object {
  const allow = identities.map((value) => ({ spiffeId: { type: 'Exact', value } }));
  return resource('MeshTrafficPermission', name, { targetRef, rules: [{ default: { allow } }] });
}

export function dataplane(name: string, inbound: readonly object[]): object {
  return resource('Dataplane', name, { networking: { address: '127.0.0.1', inbound } });
}

export async function startSite(scope: Scope, names: readonly string[]): Promise<EnforcingSite> {
  const [folder, nats, authority] = [scope.folder(), await startNats(scope), await createAuthority(scope.folder())];
  const [xds = 0, ...free] = await freePorts(1 + names.length);
  const common = { MERIDIAN_NATS_URL: nats.url };
  const zone = { ...common, MERIDIAN_ZONE_NAME: 'east', MERIDIAN_XDS_PORT: String(xds), MERIDIAN_PROXY_CERT_DIR: folder };
  const [, east] = await Promise.all([startDaemon(scope, 'global', common), startDaemon(scope, 'zone', zone)]);
  await east.untilReady();
  const servicePort = await startHttpApplication(scope);
  const tags = { 'kuma.io/service': 'backend', 'kuma.io/protocol': 'http' };
  await apply(east, [
    dataplane(
      'backend',
      names.map((name, index) => ({ name, port: free[index], servicePort, tags })),
    ),
  ]);
  await certificate(authority, join(folder, 'default', `backend.${NAMESPACE}`));
  const envoy = await startEnvoy(scope, await bootstrapOf(east, xds));
  return { east, envoy, authority, ports: Object.fromEntries(names.map((name, index) => [name, free[index] ?? 0])) };
}

async function certificate(authority: TestAuthority, place: string): Promise<void> {
  const files = await authority.issue('backend', [identity('backend')]);
  mkdirSync(place, { recursive: true });
  for (const file of ['ca', 'cert', 'key'] as const) copyFileSync(files[file], join(place, `${file}.pem`));
}

async function bootstrapOf(east: Daemon, xds: number) {
  const name = `backend.${NAMESPACE}`;
  const body = JSON.stringify({ mesh: 'default', dataplane: name, validFor: '1h' });
  const answer = await fetch(`${east.url}/_proxy-tokens`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { token } = (await answer.json()) as { token: string };
  return bootstrap({ mesh: 'default', name, xdsAddress: `127.0.0.1:${xds}`, token, adminPort: 0 });
}

/** When the zone had a permission as it is now: ms, the time that is read before its commit. */
export async function committedAt(east: Daemon, name: string): Promise<number> {
  const url = `${east.url}/meshes/default/meshtrafficpermissions/${name}.${NAMESPACE}`;
  return Date.parse((await getJson<{ modificationTime: string }>(url)).modificationTime);
}
