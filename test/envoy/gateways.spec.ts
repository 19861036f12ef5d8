import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { after, before, describe, it } from 'node:test';
import { Enforcement } from '../../src/control/enforce/enforcement.ts';
import { can } from '../../src/control/mesh/answer-can.ts';
import { createMeshViews } from '../../src/control/mesh/mesh-view.ts';
import type { Plane } from '../../src/control/plane/plane.ts';
import { snapshotFor } from '../../src/enforce/proxy-snapshot.ts';
import type { Request } from '../../src/policy/decide/read-request.ts';
import type { Draft, JsonObject } from '../../src/resource/resource.ts';
import { bootstrap } from '../../src/xds/envoy/bootstrap.ts';
import { authenticator } from '../../src/xds/server/authenticate-caller.ts';
import { issueToken } from '../../src/xds/server/proxy-token.ts';
import { startXds, type Xds } from '../../src/xds/server/xds-server.ts';
import { httpCaller } from '../harness/caller.ts';
import { type IssuedCertificate, createAuthority, type TestAuthority } from '../harness/certificates.ts';
import { MESH, newGlobal, newZone, PLAIN } from '../harness/control-planes.ts';
import { freePorts, startEnvoy } from '../harness/envoy.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';
import { deleteResource, writeDrafts } from '../harness/write-drafts.ts';

/**
 * A built-in gateway as a real Envoy. Its mesh is `expose`; callers of the mesh `consume` come in at its cross-mesh
 * listener, as its example has it (docs/design/sources.md#permission).
 */

const SECRET = randomBytes(32);
const GATEWAY = { mesh: 'expose', name: 'edge-1' };
const scope = new Scope();
after(() => scope.close());

const draft = (type: string, name: string, spec: JsonObject): Draft => ({
  type,
  mesh: 'expose',
  name,
  namespace: undefined,
  labels: {},
  spec,
});

let zone: Plane;
let xds: Xds;
let port: Record<'cross' | 'plain' | 'tls' | 'tcp' | 'xds' | 'backend' | 'impostor' | 'late', number>;
/** CAs of both meshes. */
let expose: TestAuthority;
let consume: TestAuthority;
const callers = new Map<string, IssuedCertificate | undefined>();

const apply = (...drafts: Draft[]): void => {
  writeDrafts(zone, drafts);
  xds.changed(GATEWAY);
};

/** SANs of each caller, and whose CA signed them. */
const CALLERS: Readonly<Record<string, readonly [mesh: 'expose' | 'consume', sans: readonly string[]]>> = {
  'backend v2 of consume': ['consume', ['spiffe://consume/backend', 'kuma://version/v2']],
  'backend v1 of consume': ['consume', ['spiffe://consume/backend', 'kuma://version/v1']],
  'other of consume': ['consume', ['spiffe://consume/other']],
  'backend of expose': ['expose', ['spiffe://expose/backend']],
  'backend of consume, by the CA of expose': ['expose', ['spiffe://consume/backend']],
  'admin of expose, by the CA of consume': ['consume', ['spiffe://expose/admin']],
  'two trust domains': ['consume', ['spiffe://consume/backend', 'spiffe://expose/admin']],
  'two SPIFFE IDs in one SAN': ['consume', ['spiffe://consume/x,spiffe://expose/admin']],
  'a stranger': ['consume', ['spiffe://stranger/backend']],
};

const crossMesh = { kind: 'MeshService', name: 'backend', mesh: 'consume' };
const from = (...items: readonly (readonly [JsonObject, string])[]): JsonObject[] =>
  items.map(([targetRef, action]) => ({ targetRef, default: { action } }));

/** The document of the example, as it is. */
const EXAMPLE = draft('MeshTrafficPermission', 'cross-mesh-permission', {
  targetRef: { kind: 'MeshGatewayRoute', name: 'cross-mesh-route' },
  from: from([crossMesh, 'ALLOW'], [{ ...crossMesh, kind: 'MeshServiceSubset', tags: { version: 'v1' } }, 'DENY']),
});

before(async () => {
  const folder = scope.folder();
  [expose, consume] = [await createAuthority(folder, 'expose'), await createAuthority(folder, 'consume')];
  for (const [name, [mesh, sans]] of Object.entries(CALLERS)) {
    const files = await { expose, consume }[mesh].issue(`caller-${callers.size}`, sans);
    callers.set(name, { ...files, ca: expose.ca });
  }
  const place = join(folder, GATEWAY.mesh, GATEWAY.name);
  mkdirSync(join(place, 'secrets'), { recursive: true });
  const own = await expose.issue('edge', ['spiffe://expose/edge']);
  for (const file of ['ca', 'cert', 'key'] as const) copyFileSync(own[file], join(place, `${file}.pem`));
  writeFileSync(join(place, 'secrets', 'site.pem'), readFileSync(own.key, 'utf8') + readFileSync(own.cert, 'utf8'));
  const [cross = 0, plain = 0, tls = 0, tcp = 0, free = 0] = await freePorts(5);
  const backend = await startBackend(await expose.issue('x', ['spiffe://expose/x']));
  const impostor = await startBackend(await expose.issue('impostor', ['spiffe://expose/impostor']));
  const late = await startBackend(await expose.issue('late', ['spiffe://expose/late']));
  port = { cross, plain, tls, tcp, xds: free, backend, impostor, late };
  const global = newGlobal(PLAIN);
  writeDrafts(global, [{ ...MESH, name: 'expose' }]);
  zone = newZone(PLAIN, global);
  writeDrafts(zone, documents());
  const enforcement = new Enforcement(zone, true);
  xds = await startXds({
    address: '127.0.0.1',
    port: port.xds,
    authenticate: authenticator(SECRET, () => Date.now() / 1000),
    snapshotOf: ({ mesh, name }) => {
      const rules = enforcement.rulesOf(mesh, name);
      return rules && snapshotFor({ mesh, name }, rules, folder, () => assert.fail('a gateway asks about nobody'));
    },
    report: () => {},
  });
  scope.add(() => xds.close());
  const token = issueToken(SECRET, GATEWAY, Date.now() / 1000 + 3600);
  const envoy = await startEnvoy(scope, bootstrap({ ...GATEWAY, xdsAddress: `127.0.0.1:${port.xds}`, token, adminPort: 0 }));
  await settled();
  await until('the listeners are there', async () => (await envoy.stat('listener_manager.total_listeners_active')) === 3);
});

/** The proxy of a service: it answers over mutual TLS, with the caller's SPIFFE ID and the path. Out: its port. */
async function startBackend(own: IssuedCertificate): Promise<number> {
  const [cert, key, ca] = [own.cert, own.key, expose.ca].map((file) => readFileSync(file));
  const server = createServer({ cert, key, ca, requestCert: true, rejectUnauthorized: true }, (request, response) => {
    const { subjectaltname } = (request.socket as TLSSocket).getPeerCertificate();
    response.end(`${subjectaltname} ${request.url} ${[request.headers['x-original-url'] ?? ''].flat().join(', ')}`);
  });
  scope.add(() => server.closeAllConnections());
  scope.add(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const routeTo = (name: string, value: string, type = 'PathPrefix', more: JsonObject = {}): JsonObject => ({
  matches: [{ path: { type, value }, ...more }],
  default: { backendRefs: [{ kind: 'MeshService', name }] },
});

const route = (rules: JsonObject[], hostnames?: string[]): Draft =>
  draft('MeshHTTPRoute', hostnames === undefined ? 'cross-mesh-route' : 'by-host', {
    targetRef: { kind: 'MeshGateway', name: 'edge' },
    to: [{ targetRef: { kind: 'Mesh' }, ...(hostnames ? { hostnames } : {}), rules }],
  });

const sidecar = (name: string, service: string, at: number): Draft =>
  draft('Dataplane', name, { networking: { address: '127.0.0.1', inbound: [{ port: at, tags: { 'kuma.io/service': service } }] } });

function documents(): Draft[] {
  const listeners = [
    { port: port.cross, protocol: 'HTTP', crossMesh: true },
    { port: port.plain, protocol: 'HTTP', hostname: 'a.example' },
    { port: port.plain, protocol: 'HTTP', hostname: '*.b.example', tags: { side: 'b' } },
    { port: port.tls, protocol: 'HTTPS', tls: { mode: 'TERMINATE', certificates: [{ secret: 'site' }] } },
    { port: port.tcp, protocol: 'TCP' },
  ];
  const gateway = { type: 'BUILTIN', tags: { 'kuma.io/service': 'edge' } };
  return [
    draft('Dataplane', 'edge-1', { networking: { address: '127.0.0.1', gateway } }),
    sidecar('x-1', 'x', port.backend),
    draft('MeshGateway', 'edge', { selectors: [{ match: { 'kuma.io/service': 'edge' } }], conf: { listeners } }),
    route([routeTo('x', '/')]),
    EXAMPLE,
  ];
}

const settled = () =>
  until('Envoy has answered', () => {
    const types = xds.view(GATEWAY)?.streams[0]?.types;
    assert.deepEqual(types?.flatMap(({ refused }) => refused) ?? [], []);
    return types && types.length >= 4 && types.every(({ waiting }) => !waiting);
  });

const trust = (trustDomain: string, authority: TestAuthority): Draft =>
  draft('MeshTrust', trustDomain, { trustDomain, caBundles: [{ type: 'Pem', pem: { value: readFileSync(authority.ca, 'utf8') } }] });

const allowList = (name: string, allow: JsonObject[], targetRef: JsonObject = { kind: 'Mesh' }): Draft =>
  draft('MeshTrafficPermission', name, { targetRef, rules: [{ default: { allow } }] });

/** The status that a caller gets; 0: no answer. */
async function ask(
  at: 'cross' | 'plain' | 'tls',
  files: Partial<IssuedCertificate> | undefined,
  path = '/',
  host?: string,
): Promise<number> {
  return (await httpCaller(scope, port[at], files).ask({ path, headers: host === undefined ? {} : { host } })).status;
}

async function decided(at: 'cross' | 'plain' | 'tls', request: Request): Promise<string> {
  const view = await createMeshViews(zone)('expose');
  const dataplane = view.dataplanes.find(({ name }) => name === GATEWAY.name);
  assert.ok(dataplane);
  return can(zone, view, true, { dataplane, section: String(port[at]), request }).decision;
}

const sansOf = (name: string): readonly string[] => CALLERS[name]?.[1] ?? [];

describe('a cross-mesh listener', () => {
  it('closes on callers of a mesh that no MeshTrust vouches for', async () => {
    for (const name of Object.keys(CALLERS)) {
      const status = await ask('cross', callers.get(name));
      assert.equal(status, name === 'backend of expose' ? 403 : 0, name);
      assert.equal(await decided('cross', { spiffeIds: sansOf(name), path: '/' }), 'Deny', name);
    }
  });

  it('lets in whom the permission of the cross-mesh example allows, once consume is trusted, and can says the same', async () => {
    apply(trust('consume', consume));
    await until('the trust is in force', async () => (await ask('cross', callers.get('backend v2 of consume'))) === 200);
    const expected: Readonly<Record<string, number>> = {
      'backend v2 of consume': 200,
      'backend v1 of consume': 403,
      'other of consume': 403,
      'backend of expose': 403,
    };
    for (const name of Object.keys(CALLERS)) {
      const status = await ask('cross', callers.get(name));
      assert.equal(status, expected[name] ?? 0, name);
      // A caller whose CA may not speak for it never comes so far, whoever it says it is.
      const isForged = name.includes('by the CA');
      const verdict = await decided('cross', { spiffeIds: sansOf(name), path: '/' });
      if (!isForged) assert.equal(verdict, status === 200 ? 'Allow' : 'Deny', name);
    }
    assert.equal(await ask('cross', undefined), 0);
    assert.equal(await ask('cross', { ca: expose.ca }), 0);
  });
});

describe('where requests go', () => {
  const v2 = () => httpCaller(scope, port.cross, callers.get('backend v2 of consume'));
  const answers = async (...paths: string[]): Promise<string> =>
    (await Promise.all(paths.map(async (path) => (await v2().ask({ path })).status))).join(' ');

  it('the gateway calls the backend with its own identity', async () => {
    const { status, body } = await v2().ask({ path: '/a?b=c', headers: { 'x-original-url': '/admin' } });
    assert.deepEqual([status, body.trim()], [200, 'URI:spiffe://expose/edge /a?b=c']);
  });

  it('the most specific match counts; nowhere is 404, no address is 503, an impostor is 503', async () => {
    const rules = [
      routeTo('x', '/a'),
      routeTo('nobody', '/a/b'),
      routeTo('x', '/a/b/c', 'Exact'),
      routeTo('impostor', '/i'),
      routeTo('x', '/h', 'PathPrefix', { headers: [{ name: 'x-way', value: 'yes' }] }),
      { ...routeTo('x', '/f'), default: { filters: [{ type: 'URLRewrite' }], backendRefs: [{ kind: 'MeshService', name: 'x' }] } },
    ];
    const cross = { kind: 'MeshService', name: 'backend', mesh: 'consume' };
    apply(
      sidecar('impostor-1', 'impostor-of-x', port.impostor),
      sidecar('impostor-2', 'impostor', port.impostor),
      route(rules as JsonObject[]),
      // That of the example is for the route's own paths: this one for all that is asked.
      draft('MeshTrafficPermission', 'all', { targetRef: { kind: 'MeshGateway', name: 'edge' }, from: from([cross, 'ALLOW']) }),
    );
    const paths = ['/a', '/a/b', '/a/b/c', '/a/bc', '/i', '/h', '/f', '/nowhere'];
    const expected = '200 503 200 200 200 404 503 404';
    await until(
      'the routes are in force',
      async () => (await answers(...paths)) === expected || Promise.reject(new Error(await answers(...paths))),
    );
    assert.equal((await v2().ask({ path: '/h', headers: { 'x-way': 'yes' } })).status, 200);
    // Another's identity on the backend's address.
    apply(sidecar('impostor-2', 'impostor', port.backend));
    await until('an impostor is not called', async () => (await answers('/i')) === '503');
    await settled();
  });

  it('a backend that goes is not called any more, one that comes is', async () => {
    apply(route([routeTo('late', '/')]));
    await until('it is not there', async () => (await answers('/a')) === '503');
    apply(sidecar('late-1', 'late', port.late));
    await until('it is called', async () => (await answers('/a')) === '200');
    deleteResource(zone, { type: 'Dataplane', mesh: 'expose', zone: 'plain', namespace: '', name: 'late-1' });
    xds.changed(GATEWAY);
    await until('it is gone', async () => (await answers('/a')) === '503');
    apply(route([routeTo('x', '/')]));
    await until('it is as before', async () => (await answers('/a')) === '200');
  });
});

describe('a listener that proves nobody', () => {
  const named = allowList('named', [{ spiffeId: { type: 'Exact', value: 'spiffe://expose/admin' } }, { method: 'GET' }]);
  const permissive = (mode: string, targetRef: JsonObject): Draft =>
    draft('MeshTLS', 'open', { targetRef, rules: [{ default: { mode } }] });

  it('denies everybody, whatever names the path or a caller, and can says so', async () => {
    apply(named, permissive('Permissive', { kind: 'Mesh' }));
    await settled();
    for (const host of ['a.example', 'x.b.example', 'other.example']) assert.equal(await ask('plain', undefined, '/', host), 403, host);
    // A certificate is not asked for, so that showing one changes nothing.
    for (const files of [{ ca: expose.ca }, await expose.issue('admin', ['spiffe://expose/admin'])])
      assert.equal(await ask('tls', files), 403);
    for (const at of ['plain', 'tls'] as const) {
      assert.equal(await decided(at, { spiffeIds: ['spiffe://expose/admin'], method: 'GET', path: '/' }), 'Deny');
    }
  });

  it('lets in everybody once a MeshTLS on its MeshGateway says so, and can says so', async () => {
    apply(permissive('Permissive', { kind: 'MeshGateway', name: 'edge', tags: { side: 'b' } }));
    await until('the half is open', async () => (await ask('plain', undefined, '/', 'x.b.example')) === 200);
    assert.equal(await ask('plain', undefined, '/', 'a.example'), 403);
    apply(permissive('Permissive', { kind: 'MeshGateway', name: 'edge' }), route([routeTo('x', '/only-c')], ['c.b.example']));
    await until('it is open', async () => (await ask('tls', { ca: expose.ca })) === 200);
    await until('hosts have routes of their own', async () => (await ask('plain', undefined, '/only-c', 'c.b.example')) === 200);
    assert.equal(await ask('plain', undefined, '/', `a.example:${port.plain}`), 200);
    assert.equal(await ask('plain', undefined, '/', 'other.example'), 403);
    for (const at of ['plain', 'tls'] as const) assert.equal(await decided(at, { spiffeIds: [], path: '/' }), 'Allow');
    // Callers of the cross-mesh listener are who they were.
    assert.equal(await ask('cross', callers.get('a stranger')), 0);
    assert.equal(await ask('cross', undefined), 0);
  });

  it('closes again at once, on an open connection', async () => {
    const { ask: again, connections } = httpCaller(scope, port.plain, undefined);
    const status = async () => (await again({ headers: { host: 'a.example' } })).status;
    assert.equal(await status(), 200);
    apply(permissive('Strict', { kind: 'MeshGateway', name: 'edge' }));
    await until('it is denied', async () => (await status()) === 403);
    assert.equal(connections(), 1);
  });
});
