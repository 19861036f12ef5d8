import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { JsonObject } from '../../src/resource/resource.ts';
import { envoyArguments } from '../../src/xds/envoy/bootstrap.ts';
import { type Child, startChild } from './child.ts';
import type { Scope } from './scope.ts';
import { until } from './until.ts';

/** A real Envoy. */
export interface Envoy extends Child {
  /** What its administration answers, on a path like `/stats?filter=rbac`. */
  admin(path: string): Promise<string>;
  /** One statistic; 0 when there is none of that name. */
  stat(name: string): Promise<number>;
}

/** How long a TCP connection of a changed listener may go on. */
export const DRAIN_SECONDS = 1;

/**
 * Starts an Envoy with a bootstrap (src/xds/envoy/bootstrap.ts, with `adminPort` 0) and waits for its administration.
 * `version` is one of those that scripts/envoy.mjs names, else any that is at hand.
 */
export async function startEnvoy(scope: Scope, bootstrap: JsonObject, version?: string): Promise<Envoy> {
  const folder = scope.folder();
  const [config, adminFile] = [join(folder, 'bootstrap.json'), join(folder, 'admin')];
  writeFileSync(config, JSON.stringify(bootstrap));
  const args = [
    ...envoyArguments(config, DRAIN_SECONDS),
    '--admin-address-path',
    adminFile,
    '--use-dynamic-base-id',
    '--concurrency',
    '1',
    '-l',
    'warn',
  ];
  args.push('--parent-shutdown-time-s', String(DRAIN_SECONDS + 1));
  const child = startChild(scope, await envoyProgram(version), args, process.env);
  const address = await until('Envoy runs', () => {
    if (!child.running()) return `ended: ${child.lines.slice(-5).join('\n')}`;
    // It may be there before anything is in it.
    return readFileSync(adminFile, 'utf8') || undefined;
  });
  if (address.startsWith('ended')) throw new Error(`Envoy ${address}`);
  const admin = (path: string): Promise<string> => fetch(`http://${address}${path}`).then((response) => response.text());
  const stat = async (name: string): Promise<number> => {
    const { stats } = JSON.parse(await admin(`/stats?format=json&filter=^${name}$`)) as { stats: { name?: string; value: number }[] };
    return stats.find((one) => one.name === name)?.value ?? 0;
  };
  return { ...child, admin, stat };
}

/** $ENVOY, the PATH's, or one that is fetched into the project's .tools/. */
export async function envoyProgram(version?: string): Promise<string> {
  const script = new URL('../../scripts/envoy.mjs', import.meta.url).href;
  const { envoy } = (await import(script)) as { envoy(version?: string): string };
  return envoy(version);
}

/** Ports of the loopback that nobody listens on now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const listening = servers.map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  await Promise.all(listening);
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
