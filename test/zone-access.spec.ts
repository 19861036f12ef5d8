import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node';
import { type AccessAsk, decodeReply, encodeAsk, encodeReply } from '../src/kds/access/access-messages.ts';
import { serverConfiguration } from '../src/nats/authority/server-configuration.ts';
import { claimsOf, issue, newAuthority } from '../src/nats/authority/zone-authority.ts';
import { laneSubject } from '../src/nats/subjects.ts';
import type { AnyJson } from './api/harness.ts';
import { type Daemon, startDaemon } from './harness/daemon.ts';
import { type Nats, startNats } from './harness/nats.ts';
import { Scope } from './harness/scope.ts';
import { until } from './harness/until.ts';

const scope = new Scope();
after(() => scope.close());

const ZONES = ['east', 'west', 'north'] as const;
type ZoneName = (typeof ZONES)[number];
const LOCATIONS: Readonly<Record<ZoneName, string>> = { east: 'aws/eu/paris', west: 'aws/eu/bern', north: 'gcp/us' };

let nats: Nats;
let global: Daemon;
const creds = new Map<string, string>();
const zones = new Map<ZoneName, Daemon>();
const at = (zone: ZoneName): Daemon => zones.get(zone) ?? assert.fail(zone);

async function post(daemon: Daemon, path: string, body: unknown): Promise<AnyJson> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${daemon.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer;
}

const apply = (daemon: Daemon, ...documents: object[]): Promise<AnyJson> => post(daemon, '/apply', documents);
const remove = async (daemon: Daemon, path: string): Promise<void> =>
  assert.equal((await fetch(`${daemon.url}/meshes/default/${path}`, { method: 'DELETE' })).status, 200);

const everybody = [{ workloadSelector: {} }];
const having = (matchLabels: Record<string, string>) => [{ workloadSelector: { matchLabels } }];
const access = (name: string, action: string, from: object[] = everybody, kind = 'AccessPolicy') => ({
  apiVersion: 'clusterlink.net/v1alpha1',
  kind,
  metadata: kind === 'AccessPolicy' ? { name, namespace: 'pay' } : { name },
  spec: { action, from, to: everybody },
});
const inNamespace = (type: string, name: string, namespace: string, more: object) => ({
  type,
  mesh: 'default',
  name,
  ...more,
  labels: { 'k8s.kuma.io/namespace': namespace, app: name },
});
const ledger = inNamespace('MeshService', 'ledger', 'pay', { spec: { ports: [{ port: 80 }] } });
const orders = inNamespace('Dataplane', 'orders-1', 'shop', { networking: { address: '10.0.0.1', inbound: [{ port: 80 }] } });
/** East's, to west: by its name, whatever else there is. */
const toWest = { apiVersion: 'clusterlink.net/v1alpha1', kind: 'LoadBalancingPolicy', metadata: { name: 'west-first', namespace: 'pay' } };

const CALLER = 'spiffe://default.east.mesh.local/ns/shop/dataplane/orders-1';
const call = (): Promise<AnyJson> =>
  post(at('east'), '/access/connect', { from: { dataplane: 'orders-1.shop' }, to: { service: 'ledger', namespace: 'pay' } });
const consume = (zone: ZoneName, token: string, caller = CALLER, service = 'ledger'): Promise<AnyJson> =>
  post(at(zone), '/access/consume', { token, caller, to: { service, namespace: 'pay' } });
const untilCall = (what: string, expected: (answer: AnyJson) => boolean): Promise<AnyJson> =>
  until(what, async () => {
    const answer = await call();
    if (!expected(answer)) throw new Error(JSON.stringify(answer));
    return answer;
  });

async function counted(zone: ZoneName, side: string, reason: string): Promise<number> {
  const text = await (await fetch(`${at(zone).diagnosticsUrl}/metrics`)).text();
  const line = new RegExp(`^meridian_access_exchange_total\\{side="${side}",verdict="\\w+",reason="${reason}"\\} (\\d+)$`, 'm');
  return Number(line.exec(text)?.[1]);
}

before(async () => {
  let authority = newAuthority();
  const folder = scope.folder();
  for (const zone of ['', ...ZONES]) {
    const made = await issue(authority, zone, Math.floor(Date.now() / 1000));
    authority = made.authority;
    creds.set(zone, join(folder, `${zone || 'global'}.creds`));
    writeFileSync(creds.get(zone) ?? '', made.creds, { mode: 0o600 });
  }
  nats = await startNats(scope, serverConfiguration(await claimsOf(authority), join(folder, 'accounts')));
  const common = (zone: string) => ({ MERIDIAN_NATS_URL: nats.url, MERIDIAN_NATS_CREDS: creds.get(zone) ?? '' });
  global = await startDaemon(scope, 'global', common(''));
  const started = ZONES.map(async (zone) => {
    const env = { ...common(zone), MERIDIAN_ZONE_NAME: zone, MERIDIAN_SITE_ATTRIBUTES: `location=${LOCATIONS[zone]}` };
    zones.set(zone, await startDaemon(scope, 'zone', env));
    await at(zone).untilReady();
  });
  await Promise.all(started);
  await apply(at('east'), orders, access('all', 'allow'), { ...toWest, spec: { scheme: 'static', sites: ['west', 'north'] } });
  for (const zone of ['west', 'north'] as const) await apply(at(zone), ledger, access('all', 'allow'));
  await untilCall('east lets in to west', ({ allowed, site }) => allowed && site === 'west');
});

describe('a call from a zone to another one, over NATS with credentials', () => {
  it('is let in by both; the token is good once, for that caller and that service', async () => {
    const { why, site, identity, there, here, token, expiresIn } = await call();
    assert.deepEqual([why, site, identity, there.decidedBy], ['allowed', 'west', CALLER, 'kri_ap_default_west_pay_all_']);
    assert.deepEqual([here.bindings.map((one: AnyJson) => one.site), here.pick.sites, expiresIn > 0], [['north', 'west'], ['west'], true]);
    assert.deepEqual(await consume('west', token), { allowed: true, why: 'consumed', zone: 'east' });
    assert.deepEqual(await consume('west', token), { allowed: false, why: 'unknown', zone: null });
    for (const [zone, caller, service, outcome] of [
      ['west', `${CALLER}0`, 'ledger', 'other-use'],
      ['west', CALLER, 'cart', 'other-use'],
      ['north', CALLER, 'ledger', 'unknown'],
    ] as const) {
      const another = (await call()).token;
      assert.equal((await consume(zone, another, caller, service)).why, outcome);
    }
    for (const daemon of [global, ...zones.values()]) assert.ok(daemon.lines.every((line) => !line.includes(token)));
  });

  it('is denied by either side, which says the policy', async () => {
    await apply(at('east'), access('no', 'deny'));
    const here = await call();
    assert.deepEqual([here.why, here.there, here.here.bindings[0].decidedBy], ['denied-here', null, 'kri_ap_default_east_pay_no_']);
    await remove(at('east'), 'accesspolicies/no.pay');
    await apply(at('west'), access('no', 'deny', having({ 'k8s:label:app': 'orders-1', 'site:location': 'aws/eu' })));
    const { why, there, token } = await call();
    assert.deepEqual([why, there.why, there.decidedBy, token], ['denied-there', 'policy', 'kri_ap_default_west_pay_no_', null]);
    await remove(at('west'), 'accesspolicies/no.pay');
    assert.equal((await call()).why, 'allowed');
  });

  it('goes by the attributes of a site as soon as they are changed at global, and by labels at once', async () => {
    await apply(
      at('west'),
      access('no', 'deny', having({ 'site:location': 'gcp' })),
      access('app', 'deny', having({ 'k8s:label:app': 'evil' })),
    );
    assert.equal((await call()).why, 'allowed');
    const zone = (location: string) => ({ type: 'Zone', name: 'east', enabled: true, attributes: { location } });
    await apply(global, zone('gcp/eu'));
    await untilCall('west knows', ({ there }) => there?.decidedBy === 'kri_ap_default_west_pay_no_');
    await apply(global, zone(LOCATIONS.east));
    await untilCall('west knows', ({ allowed }) => allowed);
    await apply(at('east'), { ...orders, labels: { ...orders.labels, app: 'evil' } });
    assert.equal((await call()).there.decidedBy, 'kri_ap_default_west_pay_app_');
    await apply(at('east'), orders);
    assert.equal((await call()).why, 'allowed');
    for (const name of ['no', 'app']) await remove(at('west'), `accesspolicies/${name}.pay`);
  });

  it('is decided without global', async () => {
    await global.kill();
    const { allowed, token } = await call();
    assert.deepEqual([allowed, (await consume('west', token)).allowed], [true, true]);
    global = await global.again();
  });
});

describe('a zone that was taken over', () => {
  let evil: NatsConnection;
  const refusals: string[] = [];
  before(async () => {
    const authenticator = credsAuthenticator(readFileSync(creds.get('north') ?? ''));
    evil = await connect({ servers: nats.url, authenticator, reconnect: false });
    void (async () => {
      for await (const status of evil.status()) if (status.type === 'error') refusals.push(status.error.message);
    })();
  });
  after(() => evil.close());

  const question = (attributes: Record<string, string>, id = 'e1'): string => {
    const ask: AccessAsk = { id, mesh: 'default', service: { name: 'ledger', namespace: 'pay' }, caller: { identity: CALLER, attributes } };
    return encodeAsk(ask);
  };
  async function asking(attributes: Record<string, string>) {
    const heard: string[] = [];
    const subscription = evil.subscribe(laneSubject('west', 'answer', 'north'), {
      callback: (_error, message) => void heard.push(message.string()),
    });
    evil.publish(laneSubject('north', 'ask', 'west'), question(attributes));
    await until('west answers', () => heard.length > 0);
    subscription.unsubscribe();
    return decodeReply(heard[0] ?? '');
  }

  it('gains nothing by what it says of sites', async () => {
    await apply(at('west'), access('not-us', 'deny', having({ 'site:location': 'gcp/us' })));
    const honest = await asking({ 'k8s:ns': 'shop' });
    assert.deepEqual([honest?.allowed, honest?.decidedBy], [false, 'kri_ap_default_west_pay_not-us_']);
    for (const attributes of [
      { 'site:location': 'aws/eu' },
      { 'site:name': 'east' },
      { 'peer.clusterlink.net/name': 'east' },
      { 'cl:site:location': 'aws' },
    ]) {
      const reply = await asking({ 'k8s:ns': 'shop', ...attributes });
      assert.deepEqual([reply?.allowed, reply && !reply.allowed && reply.why], [false, 'site-attributes'], JSON.stringify(attributes));
    }
    assert.ok((await counted('west', 'server', 'site-attributes')) >= 4);
    await remove(at('west'), 'accesspolicies/not-us.pay');
  });

  it('asks and answers in no other name', async () => {
    const [asked, refused] = [await counted('west', 'server', 'allowed'), refusals.length];
    for (const subject of [laneSubject('east', 'ask', 'west'), laneSubject('west', 'answer', 'east')])
      evil.publish(subject, question({ 'k8s:ns': 'shop' }));
    await until('NATS refuses both', () => refusals.length === refused + 2);
    assert.equal(await counted('west', 'server', 'allowed'), asked);
    const forged = encodeReply({ id: 'e1', allowed: true, decidedBy: null, reason: 'forged', token: 'A'.repeat(43), expiresIn: 1 });
    evil.publish(laneSubject('north', 'answer', 'east'), forged);
    await until('east drops what it did not ask for', async () => (await counted('east', 'client', 'not-awaited')) > 0);
  });
});

describe('a call while something is gone', () => {
  it('the zone: another one is picked in time; where that is gone too, denied; both are back by themselves', async () => {
    await at('west').kill();
    const first = await call();
    assert.deepEqual([first.why, first.site], ['allowed', 'north']);
    await at('north').kill();
    const { reason, token } = await untilCall('both are known to be silent', ({ why }) => why === 'no-answer');
    assert.match(reason, /zone (west|north) did not answer within 2 s/);
    assert.equal(token, null);
    for (const zone of ['west', 'north'] as const) zones.set(zone, await at(zone).again());
    await untilCall('west is back', ({ allowed, site }) => allowed && site === 'west');
  });

  it('NATS: denied at once, and said; back by itself', async () => {
    await nats.stop();
    const { why, reason, site, here } = await untilCall('east knows', (answer) => answer.why === 'away');
    assert.deepEqual([why, site, here.left.map((one: AnyJson) => one.why)], ['away', null, ['away', 'away']]);
    assert.match(reason, /NATS is away/);
    await nats.start();
    await untilCall('all are back', ({ allowed }) => allowed);
  });

  it('a token dies with the process that gave it', async () => {
    const { token } = await untilCall('west is there', ({ allowed, site }) => allowed && site === 'west');
    assert.equal(await at('west').stop(), 0);
    zones.set('west', await at('west').again());
    assert.equal((await consume('west', token)).why, 'unknown');
    await untilCall('west is back', ({ allowed, site }) => allowed && site === 'west');
  });
});

it('a credential of before: the zone syncs, denies calls to others, and says what to do', async () => {
  const user = (name: string, publish: string, subscribe: string) =>
    `{ user: ${name}, password: p, permissions: { publish: "${publish}", subscribe: "${subscribe}" } }`;
  const users = [user('global', '>', '>'), user('east', 'meridian.v1.zone.east.up', 'meridian.v1.zone.east.down')];
  const older = await startNats(scope, `authorization { users: [${users.join(', ')}] }`);
  const as = (name: string) => ({ MERIDIAN_NATS_URL: older.url.replace('//', `//${name}:p@`) });
  const [, zone] = await Promise.all([
    startDaemon(scope, 'global', as('global')),
    startDaemon(scope, 'zone', { ...as('east'), MERIDIAN_ZONE_NAME: 'east' }),
  ]);
  await zone.untilReady();
  await until('the zone says so', async () =>
    (await zone.ready()).warnings.some((warning) => /calls from zone to zone are denied: .*credential/.test(warning)),
  );
});

it('how long it takes', async (t) => {
  const middle = (took: number[]): string => (took.sort((a, b) => a - b)[Math.floor(took.length / 2)] ?? 0).toFixed(2);
  const calls: number[] = [];
  for (let n = 0; n < 200; n++) {
    const began = performance.now();
    const { allowed } = await call();
    calls.push(performance.now() - began);
    assert.ok(allowed);
  }
  const changes: number[] = [];
  await apply(at('west'), access('no', 'deny', having({ 'site:location': 'gcp' })));
  for (let n = 0; n < 10; n++) {
    const location = n % 2 === 0 ? 'gcp/eu' : LOCATIONS.east;
    await apply(global, { type: 'Zone', name: 'east', enabled: true, attributes: { location } });
    const began = performance.now();
    while ((await call()).allowed !== (n % 2 === 1)) assert.ok(performance.now() - began < 60_000);
    changes.push(performance.now() - began);
  }
  t.diagnostic(`both sides of a call, over HTTP and NATS: median ${middle(calls)} ms`);
  t.diagnostic(`from the answer of apply at global to the other verdict: median ${middle(changes)} ms`);
});
