import type { CheckCount } from '../src/control/access/check-counts.ts';
import { Insights } from '../src/control/enforce/dataplane-insights.ts';
import { Enforcement } from '../src/control/enforce/enforcement.ts';
import type { ProxyStatus } from '../src/control/enforce/proxy-status.ts';
import { retryWhenAvailable } from '../src/control/plane/retry-when-available.ts';
import type { WatchedPlane } from '../src/control/plane/watch-commits.ts';
import { xdsTls } from '../src/config/nats-security.ts';
import type { ZoneConfig } from '../src/config/settings.ts';
import type { ProxyTokens } from '../src/api/api-options.ts';
import { ServedSnapshots } from '../src/enforce/served-snapshots.ts';
import type { ZoneExchange } from '../src/control/access/zone-exchange.ts';
import { CallGate } from '../src/enforce/check-calls.ts';
import { askOf, authenticateListeners, authenticateProxies, issueProxyToken, revokeProxyTokens } from '../src/enforce/proxy-tokens.ts';
import { ChangeSender } from '../src/enforce/send-changes.ts';
import { startXds } from '../src/xds/server/xds-server.ts';
import type { DaemonContext } from './daemon.ts';

/** How often it is looked for proxies that came, went or answered. */
const LOOK = 1_000;

/** What a zone's xDS server is to its other parts. */
export interface ZoneEnforcement {
  readonly proxyTokens: ProxyTokens;
  readonly proxies: () => ProxyStatus[];
  /** Calls about which proxies asked. */
  readonly checked: () => readonly CheckCount[];
}

/** Gives Envoys their rules, at once when those change. What it decides is in src/enforce. */
export async function serveXds(
  daemon: DaemonContext<ZoneConfig>,
  { plane, onCommit }: WatchedPlane,
  { instance, hasGlobal, exchange }: { readonly instance: string; readonly hasGlobal: boolean; readonly exchange: ZoneExchange },
): Promise<ZoneEnforcement> {
  const { config, supervisor } = daemon;
  const report = daemon.report('xds');
  const now = () => Date.now() / 1000;
  const enforcement = new Enforcement(plane, hasGlobal);
  const served = new ServedSnapshots(enforcement, config.proxyCertDir, (proxy) => askOf(plane, proxy), report);
  const gate = new CallGate({ enforcement, exchange, now: () => performance.now(), report: daemon.report('access') });
  const { xdsAddress: address, xdsPort: port } = config;
  const xds = await startXds({
    address,
    port,
    tls: xdsTls(config),
    authenticate: authenticateProxies(plane, now),
    snapshotOf: (proxy) => served.snapshotOf(proxy),
    checks: { authenticate: authenticateListeners(plane, now), check: (call) => gate.check(call) },
    report,
  });
  const insights = new Insights(plane, instance);
  const attempt = retryWhenAvailable(report, 'the insights of proxies');
  // A large write may keep the store: then the next time is early enough.
  const record = (views: ReturnType<typeof xds.views>) => plane.store.isFree() && attempt(() => insights.record(views));
  const looking = setInterval(() => {
    const views = xds.views();
    record(views);
    served.keepOnly(views);
    gate.tick();
  }, LOOK).unref();
  const sender = new ChangeSender(xds, enforcement);
  supervisor.onStop('xds', async () => {
    clearInterval(looking);
    sender.stop();
    await xds.close();
    record(xds.views());
  });
  onCommit(() => void sender.changed());
  report('info', 'listening', { address, port: xds.port });
  return {
    proxyTokens: {
      issue: (proxy, validFor) => issueProxyToken(plane, now(), proxy, validFor),
      revokeAll: () => revokeProxyTokens(plane, xds),
    },
    proxies: () => xds.views().map((view) => served.statusOf(view)),
    checked: () => gate.counts.read(),
  };
}
