import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild } from '../harness/child.ts';
import { freePorts } from '../harness/envoy.ts';
import { findProgram } from '../harness/programs.ts';
import type { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';
import type { PlaneUrls } from './step.ts';

/** The real kuma-cp: $KUMA_CP, the one beside the repository, or the PATH's. */
export const KUMA_CP = findProgram('KUMA_CP', 'kuma-cp');
export const NO_KUMA_CP = KUMA_CP === undefined ? 'there is no kuma-cp: set KUMA_CP to compare with a real one' : false;

/**
 * What a control plane makes by itself at its start is no answer to anything: neither side has it. Answers are never
 * from a cache.
 */
const SETTINGS = {
  environment: 'universal',
  store: { type: 'memory', cache: { enabled: false } },
  defaults: { skipMeshCreation: true, SkipHostnameGenerators: true },
  reports: { enabled: false },
  metrics: { mesh: { minResyncInterval: '100ms', fullResyncInterval: '1s' } },
};

/**
 * Starts a real global and the universal zone `zone-1`, in memory, on free ports of the loopback. `kds`: how their sync
 * is set, as Kuma's configuration has it.
 */
export async function startKuma(scope: Scope, kds: object = {}): Promise<PlaneUrls> {
  const [global, zone] = [await freePorts(6), await freePorts(6)];
  const globalUrl = await startOne(scope, 'global', global, { multizone: { global: { kds } } });
  const globalAddress = `grpcs://127.0.0.1:${global[4]}`;
  const zoneUrl = await startOne(scope, 'zone', zone, {
    multizone: { zone: { name: 'zone-1', globalAddress, kds: { tlsSkipVerify: true, ...kds } } },
  });
  return { global: globalUrl, zone: zoneUrl };
}

/** Starts a real zone that stands alone, `east`: it takes policies with any label of origin and role. */
export async function startKumaZone(scope: Scope): Promise<string> {
  return startOne(scope, 'zone', await freePorts(6), { multizone: { zone: { name: 'east' } } });
}

async function startOne(scope: Scope, mode: 'global' | 'zone', ports: readonly number[], more: object): Promise<string> {
  const folder = scope.folder();
  const file = join(folder, 'kuma-cp.yaml');
  writeFileSync(file, JSON.stringify({ ...SETTINGS, mode, general: { workDir: folder }, ...listening(ports), ...more }));
  const child = startChild(scope, KUMA_CP ?? '', ['run', '-c', file], { HOME: folder, PATH: process.env.PATH, ...kdsPort(ports) });
  const url = `http://127.0.0.1:${ports[0]}`;
  await until(`kuma-cp ${mode} answers`, () => answers(child, url));
  return url;
}

function listening([api, dataplanes, metrics, diagnostics, , between]: readonly number[]): object {
  return {
    apiServer: { http: { interface: '127.0.0.1', port: api }, https: { enabled: false }, authn: { localhostIsAdmin: true } },
    dpServer: { port: dataplanes },
    monitoringAssignmentServer: { port: metrics },
    diagnostics: { serverPort: diagnostics },
    interCp: { server: { port: between } },
  };
}

function kdsPort(ports: readonly number[]): Record<string, string> {
  return { KUMA_MULTIZONE_GLOBAL_KDS_GRPC_PORT: String(ports[4]) };
}

async function answers(child: Child, url: string): Promise<boolean> {
  if (!child.running()) throw new Error(`kuma-cp ended: ${child.lines.slice(-3).join('\n')}`);
  return (await fetch(url)).ok;
}
