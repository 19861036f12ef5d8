import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { type Daemon, startDaemon } from '../test/harness/daemon.ts';
import { freePorts } from '../test/harness/envoy.ts';
import { startNats } from '../test/harness/nats.ts';
import type { Scope } from '../test/harness/scope.ts';
import { type CutLink, startLink } from './link.ts';

/** NATS, a global, the zones east and west, and the link between west and NATS. */
export interface Processes {
  readonly natsUrl: string;
  readonly global: Daemon;
  readonly east: Daemon;
  readonly west: Daemon;
  /** `host:port` of east's xDS server. */
  readonly xdsAddress: string;
  readonly linkOfWest: CutLink;
  /** For what the demo makes, from the folder of the repository: contexts, certificates, a bootstrap. */
  readonly folder: string;
}

/** Starts them, on the ports of the quick start where these are free. All of it ends with the scope. */
export async function startProcesses(scope: Scope): Promise<Processes> {
  mkdirSync('.demo', { recursive: true });
  const folder = mkdtempSync('.demo/');
  scope.add(() => rmSync(folder, { recursive: true, force: true }));
  const nats = await startNats(scope, '', undefined, await freePort(4222));
  const linkOfWest = await startLink(scope, Number(new URL(nats.url).port));
  const xdsPort = await freePort(5678);
  const ports = async (api: number, diagnostics: number) => ({
    MERIDIAN_API_PORT: String(await freePort(api)),
    MERIDIAN_DIAGNOSTICS_PORT: String(await freePort(diagnostics)),
  });
  const [global, east, west] = await Promise.all([
    startDaemon(scope, 'global', { MERIDIAN_NATS_URL: nats.url, ...(await ports(5681, 5680)) }),
    startDaemon(scope, 'zone', {
      MERIDIAN_NATS_URL: nats.url,
      MERIDIAN_ZONE_NAME: 'east',
      MERIDIAN_XDS_PORT: String(xdsPort),
      MERIDIAN_PROXY_CERT_DIR: resolve(folder),
      ...(await ports(5691, 5690)),
    }),
    startDaemon(scope, 'zone', {
      MERIDIAN_NATS_URL: `nats://127.0.0.1:${linkOfWest.port}`,
      MERIDIAN_ZONE_NAME: 'west',
      MERIDIAN_SYSTEM_NAMESPACE: 'mesh-system',
      ...(await ports(5701, 5700)),
    }),
  ]);
  await Promise.all([global.untilReady(), east.untilReady(), west.untilReady()]);
  return { natsUrl: nats.url, global, east, west, xdsAddress: `127.0.0.1:${xdsPort}`, linkOfWest, folder };
}

/** This port of the loopback if nobody listens there, else one that is free. */
export async function freePort(wanted: number): Promise<number> {
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.on('error', () => resolve(false)).listen(wanted, '127.0.0.1', () => resolve(true));
  });
  if (!isFree) return (await freePorts(1))[0] ?? 0;
  await new Promise((resolve) => server.close(resolve));
  return wanted;
}
