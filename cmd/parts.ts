import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Access, ZoneAccess } from '../src/api/api-options.ts';
import { readPage } from '../src/api/gui/gui-route.ts';
import { startApi } from '../src/api/server.ts';
import type { GlobalConfig } from '../src/config/settings.ts';
import type { CheckCount } from '../src/control/access/check-counts.ts';
import type { ZoneExchange } from '../src/control/access/zone-exchange.ts';
import { type ProxyStatus, proxyWarnings } from '../src/control/enforce/proxy-status.ts';
import { fixPlace, requireSite } from '../src/control/operate/first-start.ts';
import { passOnZones } from '../src/control/write/zone-registration.ts';
import { beginEpoch, type Identity } from '../src/control/plane/process-identity.ts';
import type { WatchedPlane } from '../src/control/plane/watch-commits.ts';
import { recordEpoch } from '../src/kds/cursor.ts';
import { natsTls } from '../src/config/nats-security.ts';
import { turns } from '../src/control/plane/long-turns.ts';
import { isGlobal, type Plane } from '../src/control/plane/plane.ts';
import { readiness } from '../src/control/operate/readiness.ts';
import { retryAllRefused } from '../src/control/receive/retry-refused.ts';
import { Sync } from '../src/control/sync/sync.ts';
import type { ZoneInfo } from '../src/kds/protocol.ts';
import { NatsTransport } from '../src/nats/nats-transport.ts';
import type { Place } from '../src/resource/resource.ts';
import { requireOwnSite } from '../src/api/auth/same-site.ts';
import { startDiagnostics } from '../src/runtime/diagnostics.ts';
import { createMetrics } from '../src/runtime/metrics.ts';
import { openStore } from '../src/store/open-store.ts';
import type { DaemonContext } from './daemon.ts';
import type { ZoneEnforcement } from './enforce.ts';
import { packageFolder } from './package-folder.ts';
import { sampleOf } from './sample.ts';

/**
 * The parts that global and zones are made of, each started with what it needs and told how to stop. No logic: that is
 * in src.
 */

/** How often due timeouts and announcements are checked: a fraction of the shortest one. */
const TICK = 500;
const DRAIN = 2_000;

/**
 * The store and where it stands, for good; at global with what each zone may hold there, in a zone with what its site
 * is. What was refused before is judged again.
 */
export function openPlane({ config, supervisor }: DaemonContext, place: Place, more: Pick<Plane, 'quota' | 'site'>): Plane {
  const store = openStore(join(config.dataDir, 'meridian.db'), { random: randomHex });
  supervisor.onStop('store', () => store.close());
  recordEpoch(store, randomHex());
  const plane: Plane = { ...more, place, store, now: () => new Date().toISOString() };
  requireSite(more.site ?? {});
  fixPlace(plane);
  if (isGlobal(place)) passOnZones(plane);
  retryAllRefused(plane);
  return plane;
}

/** A new epoch of this process on its store. */
export function identify(plane: Plane): Identity {
  return beginEpoch(plane.store, randomHex);
}

/**
 * The way to the other control planes; undefined for one that stands alone. It connects once the sync listens to it.
 */
export function openNats({ config, report }: DaemonContext, place: Place): NatsTransport | undefined {
  if (config.natsUrl === '') return undefined;
  const { natsUrl: url, natsCreds } = config;
  return new NatsTransport({ url, credsFile: natsCreds || undefined, tls: natsTls(config), zone: place.zone, log: report('nats') });
}

/** Keeps this control plane in step with the others. `about` is what a zone says of itself. */
export function startSync(
  { supervisor, report }: DaemonContext,
  { plane, onCommit }: WatchedPlane,
  { self, sign }: Identity,
  transport: NatsTransport,
  about?: ZoneInfo,
): Sync {
  const machine = { now: () => performance.now(), random: Math.random, id: requestId, soon: (task: () => void) => void setImmediate(task) };
  const sync = new Sync({ plane, self, sign, about, transport, machine, report: report('sync') });
  onCommit(() => turns.run('sync', 'after a commit', () => sync.committed()));
  transport.onMessage((peer, text) => sync.message(peer, text));
  transport.acceptFrom((peer) => sync.acceptsFrom(peer));
  transport.onConnection((connected) => sync.connection(connected));
  transport.start();
  const ticking = setInterval(() => turns.run('sync', 'timeouts', () => sync.tick()), TICK).unref();
  supervisor.onStop('sync', async () => {
    clearInterval(ticking);
    // Before the connection is closed: a zone says goodbye, and no answer may come behind that.
    sync.stop();
    await transport.close(DRAIN);
  });
  return sync;
}

/** What a zone alone has to show. */
interface ZoneSources {
  readonly proxies?: () => readonly ProxyStatus[];
  readonly exchange?: ZoneExchange;
  readonly checked?: () => readonly CheckCount[];
}

/** /healthy, /ready and /metrics. */
export async function serveDiagnostics(
  daemon: DaemonContext,
  plane: Plane,
  sync: Sync | undefined,
  nats: NatsTransport | undefined,
  { proxies, exchange, checked }: ZoneSources = {},
): Promise<void> {
  const { config, supervisor, report, insecure, logLoss } = daemon;
  const address = config.apiAddress;
  const ready = () => {
    const { warnings, ...state } = readiness(plane, sync, nats?.disconnectedReason());
    const { reason } = logLoss();
    const log = reason === undefined ? [] : [`lines of the log are lost: ${reason}`];
    const lanes = nats?.lanesProblem();
    const deaf = lanes === undefined ? [] : [`calls from zone to zone are denied: ${lanes}`];
    return { ...state, warnings: [...warnings, ...deaf, ...proxyWarnings(proxies?.() ?? []), ...insecure, ...log] };
  };
  const metrics = createMetrics(() => ({
    ...sampleOf(plane, sync, nats, proxies?.(), daemon.verdicts),
    exchanged: exchange?.counts.read() ?? [],
    checked: checked?.() ?? [],
    byPolicy: exchange?.policies.read() ?? [],
    logLinesLost: logLoss().lines,
  }));
  const names = [address, ...config.apiHostnames].map((name) => name.toLowerCase());
  const { port, close } = await startDiagnostics({
    address,
    port: config.diagnosticsPort,
    ready,
    metrics,
    turns: () => turns.longest(),
    requireOwnSite: (request) => requireOwnSite(request, names),
  });
  supervisor.onStop('diagnostics', close);
  report('diagnostics')('info', 'listening', { address, port });
}

/** The REST API. */
export async function serveApi(
  daemon: DaemonContext,
  { plane, writes, onCommit }: WatchedPlane,
  { self }: Identity,
  sync: Sync | undefined,
  ofZone?: ZoneEnforcement & { readonly zoneAccess: ZoneAccess },
): Promise<void> {
  const { config, supervisor, version } = daemon;
  const report = daemon.report('api');
  const address = config.apiAddress;
  const info = { version, instance: self.instance, clusterId: self.store };
  const { port, close } = await startApi({
    plane,
    writes,
    sync,
    onCommit,
    proxyTokens: ofZone?.proxyTokens,
    proxies: ofZone?.proxies,
    zoneAccess: ofZone?.zoneAccess,
    verdicts: daemon.verdicts,
    address,
    port: config.apiPort,
    info,
    page: readPage(join(packageFolder(), 'dist', 'gui')),
    report,
    access: accessOf(config),
  });
  supervisor.onStop('api', close);
  report('info', 'listening', { address, port, tls: config.apiTlsCert !== '' });
}

function accessOf({ apiHostnames, apiLoopbackAdmin, apiTlsCert, apiTlsKey, dataDir }: GlobalConfig): Access {
  const tls = apiTlsCert === '' ? undefined : { cert: apiTlsCert, key: apiTlsKey };
  return { hostNames: apiHostnames, loopbackAdmin: apiLoopbackAdmin, tls, firstTokenFile: join(dataDir, 'admin-token') };
}

/** The same, many a second: the library makes them in advance. */
function requestId(): string {
  return randomUUID().replaceAll('-', '');
}

/** 32 hex digits that nobody can guess. */
function randomHex(): string {
  return randomBytes(16).toString('hex');
}
