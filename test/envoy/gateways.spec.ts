import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
import { writeDrafts } from '../harness/write-drafts.ts';

/**
 * A built-in gateway as a real Envoy. Its mesh is `expose`; callers of the mesh `consume` come in at its cross-mesh
 * listener, as the seed of MeshTrafficPermission has it (docs/design/sources.md#permission).
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
let port: Record<'cross' | 'plain' | 'tls' | 'tcp' | 'xds', number>;
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

/** The document of the seed, as it is. */
const SEED = draft('MeshTrafficPermission', 'cross-mesh-permission', {
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
  port = { cross, plain, tls, tcp, xds: free };
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
      return rules && snapshotFor({ mesh, name }, rules, folder);
    },
    report: () => {},
  });
  scope.add(() => xds.close());
  const token = issueToken(SECRET, GATEWAY, Date.now() / 1000 + 3600);
  const envoy = await startEnvoy(scope, bootstrap({ ...GATEWAY, xdsAddress: `127.0.0.1:${port.xds}`, token, adminPort: 0 }));
  await settled();
  await until('the listeners are there', async () => (await envoy.stat('listener_manager.total_listeners_active')) === 3);
});

function documents(): Draft[] {
  const listeners = [
    { port: port.cross, protocol: 'HTTP', crossMesh: true },
    { port: port.plain, protocol: 'HTTP', hostname: 'a.example' },
    { port: port.plain, protocol: 'HTTP', hostname: '*.b.example', tags: { side: 'b' } },
    { port: port.tls, protocol: 'HTTPS', tls: { mode: 'TERMINATE', certificates: [{ secret: 'site' }] } },
    { port: port.tcp, protocol: 'TCP' },
  ];
  const rules = [
    { matches: [{ path: { type: 'PathPrefix', value: '/' } }], default: { backendRefs: [{ kind: 'MeshService', name: 'x' }] } },
  ];
  const gateway = { type: 'BUILTIN', tags: { 'kuma.io/service': 'edge' } };
  return [
    draft('Dataplane', 'edge-1', { networking: { address: '127.0.0.1', gateway } }),
    draft('MeshGateway', 'edge', { selectors: [{ match: { 'kuma.io/service': 'edge' } }], conf: { listeners } }),
    draft('MeshHTTPRoute', 'cross-mesh-route', {
      targetRef: { kind: 'MeshGateway', name: 'edge' },
      to: [{ targetRef: { kind: 'Mesh' }, rules }],
    }),
    SEED,
  ];
}

const settled = () =>
  until('Envoy has answered', () => {
    const types = xds.view(GATEWAY)?.streams[0]?.types;
    if (process.env.DBG) for (const t of types ?? []) for (const r of t.refused) console.log(r.name, r.message.slice(-300));
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
  const [dataplane] = view.dataplanes;
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

  it('lets in whom the seed’s permission allows, once consume is trusted, and can says the same', async () => {
    apply(trust('consume', consume));
    await until('the trust is in force', async () => (await ask('cross', callers.get('backend v2 of consume'))) === 404);
    const expected: Readonly<Record<string, number>> = {
      'backend v2 of consume': 404,
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
      if (!isForged) assert.equal(verdict, status === 404 ? 'Allow' : 'Deny', name);
    }
    assert.equal(await ask('cross', undefined), 0);
    assert.equal(await ask('cross', { ca: expose.ca }), 0);
  });
});

describe('a listener that proves nobody', () => {
  const anybody = { path: { type: 'Exact', value: '/hello' } };

  it('denies where nothing allows, of other hosts too', async () => {
    for (const host of ['a.example', 'x.b.example', 'other.example'])
      assert.equal(await ask('plain', undefined, '/hello', host), 403, host);
    assert.equal(await ask('tls', { ca: expose.ca }, '/hello'), 403);
  });

  it('allows what is allowed to anybody, to whoever asks, and can says the same', async () => {
    apply(
      allowList('hello', [anybody], { kind: 'MeshGateway', name: 'edge' }),
      allowList('b', [{ path: { type: 'Prefix', value: '/b' } }], { kind: 'MeshGateway', name: 'edge', tags: { side: 'b' } }),
      allowList('named', [{ spiffeId: { type: 'Exact', value: 'spiffe://expose/admin' } }]),
    );
    await until('it is in force', async () => (await ask('plain', undefined, '/hello', 'a.example')) === 404);
    await settled();
    const rows: readonly (readonly [at: 'plain' | 'tls', host: string, path: string, status: number])[] = [
      ['plain', 'a.example', '/hello', 404],
      ['plain', `a.example:${port.plain}`, '/hello', 404],
      ['plain', 'a.example', '/b', 403],
      ['plain', 'x.b.example', '/b/c', 404],
      ['plain', 'x.b.example', '/hello', 404],
      ['plain', 'x.b.example', '/', 403],
      ['plain', 'other.example', '/hello', 403],
      ['tls', 'other.example', '/hello', 404],
      ['tls', 'other.example', '/', 403],
    ];
    for (const [at, host, path, status] of rows) {
      assert.equal(await ask(at, at === 'tls' ? { ca: expose.ca } : undefined, path, host), status, `${at} ${host} ${path}`);
    }
    // A certificate is not asked for, so that showing one changes nothing.
    assert.equal(await ask('tls', await expose.issue('admin', ['spiffe://expose/admin']), '/admin'), 403);
    assert.equal(await decided('tls', { spiffeIds: ['spiffe://expose/admin'], path: '/admin' }), 'Deny');
    assert.equal(await decided('tls', { spiffeIds: ['spiffe://expose/admin'], path: '/hello' }), 'Allow');
  });

  it('holds a permission that is taken away at once, on an open connection', async () => {
    const { ask: again, connections } = httpCaller(scope, port.plain, undefined);
    const status = async () => (await again({ path: '/hello', headers: { host: 'a.example' } })).status;
    assert.equal(await status(), 404);
    apply(allowList('hello', [{ path: { type: 'Exact', value: '/other' } }], { kind: 'MeshGateway', name: 'edge' }));
    await until('it is denied', async () => (await status()) === 403);
    assert.equal(connections(), 1);
  });
});
