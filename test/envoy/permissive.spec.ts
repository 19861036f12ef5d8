import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { httpCaller, tcpCaller } from '../harness/caller.ts';
import type { IssuedCertificate } from '../harness/certificates.ts';
import { type EnforcingZone, lists, permission, startEnforcingZone } from '../harness/enforcing-zone.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';

/** A real Envoy with inbounds that take plain text beside mutual TLS, as MeshTLS and the Mesh say. */

const [WEB, OTHER] = ['spiffe://td/ns/shop/sa/web', 'spiffe://td/ns/shop/sa/other'];
const scope = new Scope();
after(() => scope.close());

let shop: EnforcingZone;
let web: IssuedCertificate;
let other: IssuedCertificate;

/** A MeshTLS of the Dataplane's namespace, as `rules` or as `from`. */
function meshTls(name: string, targetRef: object, spec: object): object {
  const metadata = { name, namespace: 'shop', labels: { 'kuma.io/mesh': 'default' } };
  return { apiVersion: 'kuma.io/v1alpha1', kind: 'MeshTLS', metadata, spec: { targetRef, ...spec } };
}
const rules = (mode: string) => ({ rules: [{ default: { mode } }] });
const from = (mode: string) => ({ from: [{ targetRef: { kind: 'Mesh' }, default: { mode } }] });
const mesh = (mode: string) => ({
  type: 'Mesh',
  name: 'default',
  mtls: { enabledBackend: 'ca', backends: [{ name: 'ca', type: 'builtin', mode }] },
});

/** What plain text comes to over TCP; undefined: nothing. */
function plainTcp(): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: shop.port('db') });
    scope.add(() => void socket.destroy());
    // A server of TLS may answer with an alert.
    socket.on('data', (data) => resolve(String(data) === TEXT ? TEXT : undefined));
    socket.on('close', () => resolve(undefined));
    // 'close' follows.
    socket.on('error', () => socket.destroy());
    // Long enough to be seen as no TLS.
    socket.write(TEXT);
  });
}

/** [plain HTTP, HTTP as web, HTTP as other], [plain TCP, TCP as web, TCP as other], on new connections. */
async function answers(): Promise<string> {
  const http = [undefined, web, other].map((files) => httpCaller(scope, shop.port('web'), files).ask());
  const tcp = [plainTcp(), ...[web, other].map((files) => tcpCaller(scope, shop.port('db'), files).say(TEXT))];
  return [...(await Promise.all(http)).map(({ status }) => status), ...(await Promise.all(tcp)).map((said) => said ?? '-')].join(' ');
}

async function become(what: string, wanted: string): Promise<void> {
  await until(what, async () => {
    const seen = await answers();
    return seen === wanted ? true : Promise.reject(new Error(seen));
  });
}
const TEXT = 'plain-text';
const [STRICT, BOTH, HTTP_ONLY] = [`0 200 403 - ${TEXT} -`, `200 200 403 ${TEXT} ${TEXT} -`, `200 200 403 - ${TEXT} -`];

async function can(from: object, port: string): Promise<{ decision: string; warnings: string[] }> {
  const body = JSON.stringify({ from, to: { dataplane: 'backend-1.shop', port } });
  const response = await fetch(`${shop.zone.url}/can`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return (await response.json()) as { decision: string; warnings: string[] };
}

before(async () => {
  shop = await startEnforcingZone(scope, { web: 'http', db: 'tcp' });
  [web, other] = [await shop.authority.issue('web', [WEB]), await shop.authority.issue('other', [OTHER])];
  await shop.apply(permission('web', undefined, lists({ allow: [{ spiffeId: { type: 'Exact', value: WEB } }] })));
});

test('without a word plain text is refused', () => become('it is strict', STRICT));

test('MeshTLS takes it where it says so, and mutual TLS is judged as before', async () => {
  await shop.apply(meshTls('all', { kind: 'Mesh' }, rules('Permissive')));
  await become('both inbounds take it', BOTH);
  await shop.apply(meshTls('db', { kind: 'Dataplane', sectionName: 'db' }, from('Strict')));
  await become('the more specific one keeps one strict', HTTP_ONLY);
});

test('who asks is told', async () => {
  const [nobody, known, strict] = [
    await can({ spiffeIds: [] }, 'web'),
    await can({ spiffeId: OTHER }, 'web'),
    await can({ spiffeIds: [] }, 'db'),
  ];
  assert.deepEqual([nobody.decision, known.decision, strict.decision], ['Allow', 'Deny', 'Deny']);
  for (const { warnings } of [nobody, known]) assert.match(warnings.join(), /plain text is taken too \(kri_mtls_default_east_shop_all_\)/);
  assert.deepEqual(strict.warnings, []);
  const response = await fetch(`${shop.zone.url}/meshes/default/dataplanes/backend-1.shop/_rules`);
  assert.match(await response.text(), /inbound web: plain text is taken too/);
  assert.ok(shop.zone.log().some(({ level, msg }) => level === 'warn' && /web: plain text is taken too/.test(msg)));
});

test('a permission that changes is judged on mutual TLS alone', async () => {
  await shop.apply(permission('web', undefined, lists({ deny: [{ spiffeId: { type: 'Exact', value: WEB } }] })));
  await become('nobody gets in by TLS', '200 403 403 - - -');
  await shop.apply(permission('web', undefined, lists({ allow: [{ spiffeId: { type: 'Exact', value: WEB } }] })));
  await become('web does again', HTTP_ONLY);
});

test('strict again, plain text is cut, on open connections too', async () => {
  const open = httpCaller(scope, shop.port('web'), undefined);
  assert.equal((await open.ask()).status, 200);
  await shop.apply(meshTls('all', { kind: 'Mesh' }, rules('Strict')));
  await become('it is strict', STRICT);
  await until('the open connection ends', async () => (await open.ask()).status === 0);
});

test('the Mesh says it for those of which no MeshTLS does', async () => {
  const say = async (mode: string): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${shop.global.url}/apply`, { method: 'POST', headers, body: JSON.stringify([mesh(mode)]) });
    assert.equal(response.status, 200, await response.text());
  };
  await shop.apply(meshTls('all', { kind: 'Mesh' }, { rules: [{ default: {} }] }));
  await say('PERMISSIVE');
  await become('the inbound without a word takes it', HTTP_ONLY);
  await say('STRICT');
  await become('it is strict', STRICT);
});
