import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type HttpCaller, httpCaller } from '../harness/caller.ts';
import { type EnforcingZone, lists, permission, startEnforcingZone } from '../harness/enforcing-zone.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';

/** A real Envoy with permissions that target routes of many matches, and with more of them than an inbound takes. */

const MATCHES = 400;
/** What clients of gRPC take by default, in bytes; Envoy has no such limit. */
const GRPC_DEFAULT = 4 * 1024 * 1024;
const IDS = { web: 'spiffe://td/ns/shop/sa/web', jobs: 'spiffe://td/ns/shop/sa/jobs', other: 'spiffe://td/ns/shop/sa/other' };
type ClientName = keyof typeof IDS;
const CLIENTS: readonly ClientName[] = ['web', 'jobs', 'other'];

const scope = new Scope();
after(() => scope.close());

let shop: EnforcingZone;
let callers: Record<'many' | 'full' | 'next', Record<ClientName, HttpCaller>>;

function document(kind: string, name: string, spec: object): object {
  const metadata = { name, namespace: 'shop', labels: { 'kuma.io/mesh': 'default' } };
  return { apiVersion: 'kuma.io/v1alpha1', kind, metadata, spec };
}

const service = (name: string): object =>
  document('MeshService', name, {
    selector: { dataplaneTags: { 'kuma.io/service': name } },
    ports: [{ port: 80, targetPort: shop.port(name), appProtocol: 'http' }],
  });

function route(name: string, leadsTo: string, matches: readonly object[]): object {
  const rules = [{ matches, default: {} }];
  return document('MeshHTTPRoute', name, {
    targetRef: { kind: 'Mesh' },
    to: [{ targetRef: { kind: 'MeshService', name: leadsTo }, rules }],
  });
}

/** One that allows these to come through a route. */
function through(name: string, routed: string, ids: readonly string[], denied: readonly object[] = []): object {
  const allow = ids.map((value) => ({ spiffeId: { type: 'Exact', value } }));
  return document('MeshTrafficPermission', name, { targetRef: { kind: 'MeshHTTPRoute', name: routed }, ...lists({ allow, deny: denied }) });
}

const below = (end: string) => (_: unknown, index: number) => ({ path: { type: 'PathPrefix', value: `/area-${index}${end}` } });
const ways = (end: string, count: number): object[] => Array.from({ length: count }, below(end));

const strangers = (count: number): string[] => Array.from({ length: count }, (_, index) => `spiffe://td/ns/shop/sa/stranger-${index}`);

before(async () => {
  shop = await startEnforcingZone(scope, { many: 'http', full: 'http', next: 'http' });
  const files = await Promise.all(CLIENTS.map((client) => shop.authority.issue(client, [IDS[client]])));
  const of = (inbound: string) =>
    Object.fromEntries(CLIENTS.map((client, index) => [client, httpCaller(scope, shop.port(inbound), files[index])])) as Record<
      ClientName,
      HttpCaller
    >;
  callers = { many: of('many'), full: of('full'), next: of('next') };
  await shop.apply(...['many', 'full', 'next'].map(service));
});

async function verdict(client: ClientName, method: string, path: string): Promise<string> {
  const body = JSON.stringify({ from: { spiffeId: IDS[client] }, to: { dataplane: 'backend-1.shop', port: 'many' }, method, path });
  const response = await fetch(`${shop.zone.url}/can`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await response.json()) as { decision: string }).decision;
}

test(`${2 * MATCHES} matches of two routes arrive, and Envoy answers as the evaluator says`, async () => {
  const posts = ways('/in', MATCHES).map((match) => ({ ...match, method: 'POST' }));
  await shop.apply(
    route('outer', 'many', ways('', MATCHES)),
    route('inner', 'many', posts),
    through('outer', 'outer', [IDS.web, ...strangers(25)]),
    through('inner', 'inner', [IDS.jobs], [{ spiffeId: { type: 'Exact', value: IDS.web } }]),
  );
  const { web } = callers.many;
  await until('they are in force', async () => {
    const { status } = await web.ask({ path: `/area-${MATCHES - 1}` });
    return status === 200 ? true : Promise.reject(new Error(String(status)));
  });
  const got = await shop.envoy.stat('cluster.meridian-xds.upstream_cx_rx_bytes_total');
  assert.ok(got > GRPC_DEFAULT, `the Envoy got ${got} bytes`);
  const paths = [0, 77, MATCHES - 1, MATCHES].flatMap((index) => ['', '/x', '/in', 'x', '/inx'].map((end) => `/area-${index}${end}`));
  const seen = { Allow: 0, Deny: 0 };
  for (const client of CLIENTS) {
    for (const method of ['GET', 'POST']) {
      for (const path of ['/', ...paths]) {
        const decision = await verdict(client, method, path);
        const { status } = await callers.many[client].ask({ method, path });
        assert.equal(status, decision === 'Allow' ? 200 : 403, `${client} ${method} ${path}: ${decision}`);
        seen[decision === 'Allow' ? 'Allow' : 'Deny']++;
      }
    }
  }
  assert.ok(seen.Allow > 15 && seen.Deny > 15, JSON.stringify(seen));
});

test('an inbound of too many rules is shut, and the other ones of its proxy go on', async () => {
  await shop.apply(
    permission('full', 'full', lists({ allow: [{ spiffeId: { type: 'Exact', value: IDS.web } }] })),
    permission('next', 'next', lists({ allow: [{ spiffeId: { type: 'Exact', value: IDS.web } }] })),
  );
  const answers = async () =>
    (await Promise.all([callers.full.web, callers.next.web].map((caller) => caller.ask()))).map(({ status }) => status);
  const become = (what: string, wanted: string) =>
    until(what, async () => {
      const got = (await answers()).join(' ');
      return got === wanted ? true : Promise.reject(new Error(got));
    });
  await become('both are open', '200 200');
  await shop.apply(route('full', 'full', ways('', 500)), through('full-1', 'full', strangers(60)));
  await shop.apply(through('full-2', 'full', strangers(60)));
  await become('that one is shut', '403 200');
  await shop.apply(permission('next', 'next', lists({ allow: [{ spiffeId: { type: 'Exact', value: IDS.jobs } }] })));
  await become('changes arrive at the other', '403 403');
  await shop.remove('full-2');
  await become('it opens again', '200 403');
});
