import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { AnyJson } from '../api/harness.ts';
import type { ReceivedRequest } from '../harness/application.ts';
import { httpCaller, tcpCaller } from '../harness/caller.ts';
import type { IssuedCertificate } from '../harness/certificates.ts';
import { type Daemon, startDaemon } from '../harness/daemon.ts';
import { type EnforcingZone, lists, permission, startEnforcingZone } from '../harness/enforcing-zone.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';

/** Calls of zone west at a real Envoy of zone east, which asks its zone about them. */

const scope = new Scope();
after(() => scope.close());

const ORDERS = 'spiffe://default.west.mesh.local/ns/front/dataplane/orders-1';
const OTHER = 'spiffe://default.west.mesh.local/ns/front/dataplane/other-1';
const NORTH = 'spiffe://default.north.mesh.local/ns/front/dataplane/orders-1';
const LOCAL = 'spiffe://default.east.mesh.local/ns/front/dataplane/local-1';
/** Known here, and allowed by no policy; and one whose Dataplane is gone. */
const STRANGER = 'spiffe://default.east.mesh.local/ns/front/dataplane/stranger-1';
const GONE = 'spiffe://default.east.mesh.local/ns/front/dataplane/gone-1';
const TOKEN = 'x-meridian-access-token';

let served: EnforcingZone;
let west: Daemon;
const certificates = new Map<string, IssuedCertificate>();

before(async () => {
  served = await startEnforcingZone(scope, { web: 'http', db: 'tcp' });
  west = await startDaemon(scope, 'zone', {
    MERIDIAN_NATS_URL: served.nats.url,
    MERIDIAN_ZONE_NAME: 'west',
    MERIDIAN_SITE_ATTRIBUTES: 'location=eu/bern',
  });
  await west.untilReady();
  await served.apply(
    service('web'),
    service('db'),
    dataplane('local-1'),
    dataplane('stranger-1'),
    allowFrom('eu'),
    access('local', 'allow', { 'k8s:label:app': 'local-1' }),
  );
  await post(west, '/apply', [dataplane('orders-1'), access('all', 'allow', {})]);
  await until('west may ask', async () => (await connect('web')).why === 'allowed');
  for (const id of [ORDERS, OTHER, NORTH, LOCAL, STRANGER, GONE])
    certificates.set(id, await served.authority.issue(id.replaceAll(/\W/g, '-'), [id]));
});

const meta = (name: string, namespace: string) => ({ name, namespace, labels: { 'kuma.io/mesh': 'default', app: name } });
function service(name: string): object {
  const spec = { selector: { dataplaneTags: { 'kuma.io/service': name } }, ports: [{ port: 80, targetPort: name }] };
  return { apiVersion: 'kuma.io/v1alpha1', kind: 'MeshService', metadata: meta(name, 'shop'), spec };
}
function dataplane(name: string): object {
  const networking = { address: '10.0.0.1', inbound: [{ port: 80, tags: { 'kuma.io/service': name } }] };
  return { apiVersion: 'kuma.io/v1alpha1', kind: 'Dataplane', metadata: meta(name, 'front'), spec: { networking } };
}
function access(name: string, action: string, from: Record<string, string>): object {
  const [source, target] = [{ workloadSelector: { matchLabels: from } }, { workloadSelector: {} }];
  return {
    apiVersion: 'clusterlink.net/v1alpha1',
    kind: 'AccessPolicy',
    metadata: meta(name, 'shop'),
    spec: { action, from: [source], to: [target] },
  };
}
/** By the place of the caller's site. */
const allowFrom = (location: string): object => access('place', 'allow', { 'site:location': location });

async function post(daemon: Daemon, path: string, body: unknown): Promise<AnyJson> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${daemon.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
}
const connect = (name: string, identity?: string): Promise<AnyJson> =>
  post(west, '/access/connect', { from: { dataplane: 'orders-1.front', identity }, to: { service: name, namespace: 'shop' } });
const files = (id: string): IssuedCertificate => certificates.get(id) ?? assert.fail(id);
const call = (headers: Record<string, string | string[]> = {}, id = ORDERS) =>
  httpCaller(scope, served.port('web'), files(id)).ask({ path: '/', headers });
/** What a caller of west gets who does all that is asked of it. */
async function called(): Promise<number> {
  const { token } = await connect('web');
  return (await call(token === null ? {} : { [TOKEN]: token })).status;
}

const untilCalled = (what: string, status: number): Promise<unknown> => until(what, async () => (await called()) === status);
/** How often Envoy asked its zone about calls at `web`. */
const asked = async (): Promise<number> => {
  const counts = ['ok', 'denied', 'error'].map((name) => served.envoy.stat(`http.inbound:web.ext_authz.inbound:web.${name}`));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
};
async function counted(reason: string): Promise<number> {
  const text = await (await fetch(`${served.zone.diagnosticsUrl}/metrics`)).text();
  return Number(new RegExp(`^meridian_access_checks_total\\{verdict="\\w+",reason="${reason}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
}
/** What a TCP service answers to a caller that asks TLS for a server of this name. */
const says = (id: string, serverName: string): Promise<string | undefined> =>
  tcpCaller(scope, served.port('db'), files(id), '127.0.0.1', serverName).say('x');

describe('a call of another zone', () => {
  it('gets in by a token, once; the application does not see it', async () => {
    await untilCalled('Envoy asks its zone', 200);
    const { token } = await connect('web');
    const { status, body } = await call({ [TOKEN]: token });
    assert.deepEqual([status, (JSON.parse(body) as ReceivedRequest).headers[TOKEN]], [200, undefined]);
    const again = await call({ [TOKEN]: token });
    assert.deepEqual(again, { status: 403, body: 'access denied: no token of this zone was shown, or it was used before\n' });
    assert.ok((await counted('consumed')) >= 2 && (await counted('unknown')) === 1);
  });

  it('gains nothing by what it says itself', async () => {
    const before = await counted('consumed');
    const { token } = await connect('web');
    const forged: Record<string, string | string[]>[] = [
      {},
      { [TOKEN]: 'A'.repeat(43) },
      { [TOKEN]: [token, token] },
      { 'site-location': 'eu', 'x-meridian-site': 'east', 'x-meridian-node': 'default.backend-1.shop', 'x-meridian-inbound': 'web' },
      { 'x-forwarded-client-cert': `URI=${LOCAL}`, 'x-envoy-internal': 'true', 'x-meridian-asks-zone': 'no' },
    ];
    for (const headers of forged) assert.equal((await call(headers)).status, 403, JSON.stringify(headers));
    // For another service, by another caller of west, by one that says it is of a third zone.
    assert.equal((await call({ [TOKEN]: (await connect('db')).token })).status, 403);
    for (const id of [OTHER, NORTH]) assert.equal((await call({ [TOKEN]: (await connect('web')).token }, id)).status, 403, id);
    assert.equal((await call({ [TOKEN]: (await connect('web', NORTH)).token }, NORTH)).status, 403);
    assert.equal(await counted('other-zone'), 1);
    assert.equal(await counted('consumed'), before);
  });

  it('is decided by the site, the policies of both zones, and permissions that deny', async () => {
    await served.apply(allowFrom('us'));
    await untilCalled('another place', 403);
    const { why, there } = await connect('web');
    assert.deepEqual([why, there.why], ['denied-there', 'no-policy']);
    await served.apply(allowFrom('eu'));
    await untilCalled('this place', 200);
    await served.apply(permission('no', 'web', lists({ deny: [{ spiffeId: { type: 'Exact', value: ORDERS } }] })));
    await untilCalled('a permission denies', 403);
    assert.equal((await connect('web')).why, 'allowed');
    await served.remove('no');
    await untilCalled('no permission denies', 200);
  });

  it('on TCP shows its token as the server name of TLS, once for each connection', async () => {
    const name = async (): Promise<string> => `${(await connect('db')).token}.meridian.internal`;
    const used = await name();
    assert.equal(await says(ORDERS, used), 'x');
    for (const other of [used, '', 'db.shop', `${(await connect('web')).token}.meridian.internal`])
      assert.equal(await says(ORDERS, other), undefined);
    assert.equal(await says(OTHER, await name()), undefined);
    assert.equal(await says(ORDERS, await name()), 'x');
  });

  it('of the own zone is decided as before, and nobody is asked', async () => {
    const before = await asked();
    for (const headers of [{}, { [TOKEN]: 'A'.repeat(43) }]) {
      const { status, body } = await call(headers, LOCAL);
      assert.deepEqual([status, (JSON.parse(body) as ReceivedRequest).headers[TOKEN]], [200, undefined]);
    }
    // Nor about one of the zone whom no policy lets in, whatever it shows.
    for (const id of [STRANGER, GONE]) assert.equal((await call({ [TOKEN]: (await connect('web')).token }, id)).status, 403);
    assert.equal(await says(LOCAL, ''), 'x');
    assert.equal(await asked(), before);
  });
});

describe('while something is gone, a call of another zone is denied, and back by itself', () => {
  it('NATS: its zone says that it gets no token', async () => {
    await served.nats.stop();
    const { why, reason } = await until('west knows', async () => {
      const answer = await connect('web');
      return answer.why === 'away' && answer;
    });
    assert.match(`${why} ${reason}`, /away NATS is away/);
    assert.deepEqual([(await call()).status, (await call({}, LOCAL)).status], [403, 200]);
    await served.nats.start();
    await untilCalled('all are back', 200);
  });

  it('the zone that Envoy asks: at once, whatever token is shown; callers of the zone go on', async () => {
    const { token } = await connect('web');
    await served.zone.kill();
    const errors = await served.envoy.stat(`http.inbound:web.ext_authz.inbound:web.error`);
    assert.deepEqual([(await call({ [TOKEN]: token })).status, (await call({}, LOCAL)).status], [403, 200]);
    assert.equal(await says(ORDERS, `${token}.meridian.internal`), undefined);
    assert.equal(await served.envoy.stat(`http.inbound:web.ext_authz.inbound:web.error`), errors + 1);
    await served.again();
    await untilCalled('the zone is back', 200);
  });

  it('its own zone: no token, no way in', async () => {
    await west.kill();
    assert.deepEqual([(await call()).status, (await call({}, LOCAL)).status], [403, 200]);
    west = await west.again();
    await untilCalled('west is back', 200);
  });
});

it('how long it takes', async (t) => {
  const middle = (took: readonly number[]): string => ([...took].sort((a, b) => a - b)[took.length >> 1] ?? 0).toFixed(2);
  const caller = httpCaller(scope, served.port('web'), files(ORDERS));
  const local = httpCaller(scope, served.port('web'), files(LOCAL));
  const times: Record<'of the zone' | 'with a token' | 'for the token', number[]> = {
    'of the zone': [],
    'with a token': [],
    'for the token': [],
  };
  for (let n = 0; n < 100; n++) {
    const [began, { token }] = [performance.now(), await connect('web')];
    times['for the token'].push(performance.now() - began);
    for (const [what, one, headers] of [
      ['with a token', caller, { [TOKEN]: token }],
      ['of the zone', local, {}],
    ] as const) {
      const start = performance.now();
      assert.equal((await one.ask({ headers })).status, 200);
      times[what].push(performance.now() - start);
    }
  }
  t.diagnostic(
    Object.entries(times)
      .map(([what, took]) => `${what}: median ${middle(took)} ms`)
      .join(', '),
  );
});
