import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import { Insights } from '../src/control/enforce/dataplane-insights.ts';
import { Enforcement } from '../src/control/enforce/enforcement.ts';
import { lettingNobodyIn } from '../src/control/mesh/listen-address.ts';
import type { InboundRules, ProxyRules } from '../src/control/enforce/proxy-rules.ts';
import { spiffeIdOf } from '../src/control/enforce/spiffe-id.ts';
import { retryWhenAvailable } from '../src/control/plane/retry-when-available.ts';
import type { Watched } from '../src/control/plane/watch-commits.ts';
import type { Plane } from '../src/control/plane/plane.ts';
import { xdsTls } from '../src/config/nats-security.ts';
import type { ZoneConfig } from '../src/config/settings.ts';
import type { ProxyTokens } from '../src/api/api-options.ts';
import { type Authenticate, authenticator } from '../src/xds/server/authenticate-caller.ts';
import { type Generated, generate } from '../src/xds/envoy/generate-snapshot.ts';
import type { Certificates, InboundInput, UnbuiltInbound } from '../src/xds/envoy/inbound-input.ts';
import { nodeId, type ProxyId } from '../src/xds/server/proxy-id.ts';
import type { ProxyView } from '../src/xds/server/connected-proxies.ts';
import { startXds, type Xds } from '../src/xds/server/xds-server.ts';
import { issueToken } from '../src/xds/server/proxy-token.ts';
import type { Snapshot } from '../src/xds/wire/resource-types.ts';
import type { ProxyStanding } from '../src/control/enforce/proxy-status.ts';
import type { Daemon } from './daemon.ts';

const SECRET = 'proxy token secret';
/** How often it is looked for proxies that came, went or answered. */
const LOOK = 1_000;

/** What a zone's xDS server is to its other parts. */
export interface Enforced {
  readonly proxyTokens: ProxyTokens;
  readonly proxies: () => ProxyStanding[];
}

/** Gives Envoys their rules, at once when those change. */
export async function serveXds(
  daemon: Daemon<ZoneConfig>,
  { plane, onCommit }: Watched,
  { instance, hasGlobal }: { readonly instance: string; readonly hasGlobal: boolean },
): Promise<Enforced> {
  const { config, supervisor } = daemon;
  const report = daemon.report('xds');
  const tls = xdsTls(config);
  const now = () => Date.now() / 1000;
  const enforcement = new Enforcement(plane, hasGlobal);
  const given = new Map<string, Given>();
  const snapshotOf = (proxy: ProxyId): Snapshot | undefined => {
    const rules = enforcement.rulesOf(proxy.mesh, proxy.name);
    const snapshot = rules && toSnapshot(rules, certificatesOf(config.proxyCertDir, proxy));
    const now = { rules, problems: rules ? problemsOf(rules, snapshot) : [], shut: snapshot?.shut ?? [] };
    if (rules !== given.get(nodeId(proxy))?.rules) {
      for (const problem of [...now.problems, ...(rules?.warnings ?? [])]) report('warn', problem, { node: nodeId(proxy) });
    }
    given.set(nodeId(proxy), now);
    return snapshot;
  };
  const idOf = ({ mesh, name }: ProxyId) => spiffeIdOf(plane, mesh, name);
  // The secret may be another each time.
  const authenticate: Authenticate = (caller) => authenticator(secretOf(plane), now, idOf)(caller);
  const { xdsAddress: address, xdsPort: port } = config;
  const xds = await startXds({ address, port, tls, authenticate, snapshotOf, report });
  const insights = new Insights(plane, instance);
  const attempt = retryWhenAvailable(report, 'the insights of proxies');
  const looking = setInterval(() => {
    const views = xds.views();
    attempt(() => insights.record(views));
    const known = new Set(views.map(({ proxy }) => nodeId(proxy)));
    for (const id of given.keys()) if (!known.has(id)) given.delete(id);
  }, LOOK).unref();
  supervisor.onStop('xds', async () => {
    clearInterval(looking);
    await xds.close();
    attempt(() => insights.record(xds.views()));
  });
  // This is not `given`: a new stream may have been given rules that the proxy's other streams were not told of.
  let told: ReadonlyMap<string, ProxyRules | undefined> = new Map();
  onCommit(() => {
    told = sendChanges(xds, enforcement, told);
  });
  report('info', 'listening', { address, port: xds.port });
  const proxies = () => xds.views().map((view) => standingOf(view, given.get(nodeId(view.proxy))));
  return { proxyTokens: tokensOf(plane, xds, now), proxies };
}

/** What a proxy was given last, and what of it nobody gets in at. */
interface Given {
  readonly rules: ProxyRules | undefined;
  readonly problems: readonly string[];
  readonly shut: readonly UnbuiltInbound[];
}

/** What could not be read or compiled, and what only the building shows. */
function problemsOf({ inbounds, problems }: ProxyRules, snapshot: Generated | undefined): string[] {
  const known = new Set(inbounds.filter(({ shut }) => shut !== undefined).map(({ name }) => name));
  const found = snapshot?.shut.filter(({ inbound }) => !known.has(inbound)) ?? [];
  return [...problems, ...found.map(({ inbound, reason }) => lettingNobodyIn(inbound, reason))];
}

/** A proxy as the API shows it: what it was sent, and what of its Dataplane can't be. */
function standingOf({ proxy, streams, problem, refused }: ProxyView, given: Given | undefined): ProxyStanding {
  return {
    ...proxy,
    streams,
    ...(problem ? { problem } : {}),
    ...(refused ? { refused } : {}),
    notServed: given?.problems ?? [],
    shut: given?.shut ?? [],
    warnings: given?.rules?.warnings ?? [],
  };
}

/**
 * Only to those that are connected, mesh by mesh: the store is asked once for all of a mesh. `told`: the rules that
 * each was told of before; gives those of now, undefined for what could not be worked out.
 */
function sendChanges(xds: Xds, enforcement: Enforcement, told: ReadonlyMap<string, ProxyRules | undefined>) {
  const meshes = new Map<string, (name: string) => ProxyRules | undefined>();
  const now = new Map<string, ProxyRules | undefined>();
  for (const proxy of xds.connected()) {
    const rulesOf = meshes.get(proxy.mesh) ?? rulesIn(enforcement, proxy.mesh);
    meshes.set(proxy.mesh, rulesOf);
    const rules = rulesOf(proxy.name);
    now.set(nodeId(proxy), rules);
    if (rules === undefined || rules !== told.get(nodeId(proxy))) xds.changed(proxy);
  }
  return now;
}

/** An error here happens again when the snapshot is made, and is shown then. */
function rulesIn(enforcement: Enforcement, mesh: string): (name: string) => ProxyRules | undefined {
  const attempt = <T>(what: () => T): T | undefined => {
    try {
      return what();
    } catch {
      return undefined;
    }
  };
  const rulesOf = attempt(() => enforcement.rulesIn(mesh));
  return (name) => attempt(() => rulesOf?.(name));
}

/** `now`: seconds since 1970. */
function tokensOf(plane: Plane, xds: Xds, now: () => number): ProxyTokens {
  return {
    issue(proxy, validFor) {
      const expires = Math.floor(now()) + validFor;
      return { token: issueToken(secretOf(plane), proxy, expires), nodeId: nodeId(proxy), expires: new Date(expires * 1000).toISOString() };
    },
    revokeAll() {
      newSecret(plane);
      // Each is judged anew.
      for (const proxy of xds.connected()) xds.changed(proxy);
    },
  };
}

/** What tokens are signed with, made when it is first needed. */
function secretOf(plane: Plane): Uint8Array {
  const known = plane.store.setting(SECRET);
  return known === undefined ? newSecret(plane) : Buffer.from(known, 'hex');
}

function newSecret({ store }: Plane): Uint8Array {
  const secret = randomBytes(32);
  store.commit((tx) => tx.setSetting(SECRET, secret.toString('hex')));
  return secret;
}

function toSnapshot({ inbounds }: ProxyRules, certificates: Certificates): Generated {
  return generate({ inbounds: inbounds.map(toInbound), certificates });
}

function toInbound({ rbac, routes, ...place }: InboundRules): InboundInput {
  return place.protocol === 'tcp' ? { ...place, rbac: { network: rbac } } : { ...place, rbac: { http: rbac }, routes };
}

/** On the proxy's machine, which need not be this one. */
function certificatesOf(folder: string, { mesh, name }: ProxyId): Certificates {
  const file = (called: string) => posix.join(folder, mesh, name, called);
  return { ca: file('ca.pem'), cert: file('cert.pem'), key: file('key.pem') };
}
