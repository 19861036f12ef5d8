import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import { dataplane, exact, fromList, permission, prefix, resource } from '../../../test/harness/policies.ts';
import { indexMesh } from '../match/mesh-index.ts';
import { readProxy } from '../match/read-proxy.ts';
import { decide, permissionMatches } from './decide-request.ts';
import { givenResource } from './given-requests.ts';
import type { Request } from './read-request.ts';

/** The worked examples of docs/design/sources.md#permission and docs/design/sources.md#spiffe. */

const backend = dataplane({ tags: { 'kuma.io/service': 'backend' }, labels: { app: 'backend' } });
const other = dataplane({ name: 'other-1', tags: { 'kuma.io/service': 'other' }, labels: { app: 'other' } });

function verdict(policies: readonly Resource[], request: Request, target = backend): string {
  const { decision, shadow } = decide({ policies, dataplane: target, request });
  return decision === shadow ? decision : `${decision}, shadow ${shadow}`;
}

describe('docs/design/sources.md#permission: converting MeshTrafficPermission', () => {
  const zone = { kind: 'MeshSubset', tags: { 'kuma.io/zone': 'us-east' } };
  const dev = { kind: 'MeshSubset', tags: { env: 'dev' } };
  const web = { kind: 'MeshService', name: 'web' };
  const policies = [
    // The source calls it `global` and puts it before `global-2`; the lesser name comes last, so that here it is called
    // `global-9`.
    permission('global-9', { targetRef: { kind: 'Mesh' }, ...fromList([{ kind: 'Mesh' }, 'DENY']) }),
    permission('global-2', { targetRef: { kind: 'Mesh' }, ...fromList([zone, 'DENY_WITH_SHADOW_ALLOW']) }),
    permission('backend', {
      targetRef: { kind: 'MeshService', name: 'backend' },
      ...fromList([dev, 'ALLOW'], [web, 'ALLOW_WITH_SHADOW_DENY']),
    }),
  ];

  it('concatenates in this order', () => {
    const mesh = indexMesh([backend]);
    const proxy = readProxy(backend, mesh);
    const [inbound] = proxy.inbounds;
    assert.ok(inbound);
    const order = permissionMatches(policies, proxy, inbound, mesh).map(({ policy }) => policy.resource.name);
    assert.deepEqual(order, ['global-9', 'global-2', 'backend']);
  });

  // The eight rules, in the source's order: (zone us-east, env dev, service web), each of them or not.
  const rules: readonly (readonly [zone: boolean, dev: boolean, web: boolean, verdict: string])[] = [
    [true, true, false, 'Allow'],
    [true, false, false, 'Deny, shadow Allow'],
    [false, true, false, 'Allow'],
    [false, false, false, 'Deny'],
    [true, true, true, 'Allow, shadow Deny'],
    [true, false, true, 'Allow, shadow Deny'],
    [false, true, true, 'Allow, shadow Deny'],
    [false, false, true, 'Allow, shadow Deny'],
  ];
  for (const [east, isDev, isWeb, expected] of rules) {
    it(`zone ${east ? '' : '!'}us-east, env ${isDev ? '' : '!'}dev, service ${isWeb ? '' : '!'}web: ${expected}`, () => {
      const tags = { 'kuma.io/zone': east ? 'us-east' : 'us-west', env: isDev ? 'dev' : 'prod', 'kuma.io/service': isWeb ? 'web' : 'api' };
      assert.equal(verdict(policies, { tags }), expected);
      // The same client by its certificate.
      const spiffeIds = [
        `kuma://env/${tags.env}`,
        `kuma://kuma.io/zone/${tags['kuma.io/zone']}`,
        `spiffe://default/${tags['kuma.io/service']}`,
      ];
      assert.equal(verdict(policies, { spiffeIds }), expected);
    });
  }
});

describe('docs/design/sources.md#permission: rules with negations', () => {
  const subset = (tags: Record<string, string>) => ({ kind: 'MeshSubset', tags });
  const policies = [
    permission(
      'p',
      fromList(
        [{ kind: 'Mesh' }, 'ALLOW'],
        [subset({ zone: 'us-east' }), 'DENY'],
        [subset({ env: 'dev' }), 'ALLOW'],
        [subset({ env: 'prod' }), 'ALLOW'],
      ),
    ),
  ];
  const rules: readonly (readonly [tags: Record<string, string>, verdict: string])[] = [
    [{ zone: 'us-east', env: 'dev' }, 'Allow'],
    [{ zone: 'us-east', env: 'prod' }, 'Allow'],
    [{ zone: 'us-west', env: 'dev' }, 'Allow'],
    [{ zone: 'us-west', env: 'prod' }, 'Allow'],
    [{ zone: 'us-east', env: 'qa' }, 'Deny'],
    [{ zone: 'us-west', env: 'qa' }, 'Allow'],
    [{ zone: 'us-east' }, 'Deny'],
  ];
  for (const [tags, expected] of rules) {
    it(`${JSON.stringify(tags)}: ${expected}`, () =>
      assert.equal(verdict(policies, { tags: { 'kuma.io/service': 'web', ...tags } }), expected));
  }
});

describe('docs/design/sources.md#permission: a client of another mesh', () => {
  const document = (type: string, name: string, body: JsonObject) => givenResource({ type, mesh: 'expose', name, ...body }, name);
  const gateway = document('MeshGateway', 'edge', {
    selectors: [{ match: { 'kuma.io/service': 'edge' } }],
    conf: { listeners: [{ port: 80, protocol: 'HTTP', crossMesh: true }] },
  });
  const rules = [
    { matches: [{ path: { type: 'PathPrefix', value: '/' } }], default: { backendRefs: [{ kind: 'MeshService', name: 'x' }] } },
  ];
  const route = document('MeshHTTPRoute', 'cross-mesh-route', {
    spec: { targetRef: { kind: 'MeshGateway', name: 'edge' }, to: [{ targetRef: { kind: 'Mesh' }, rules }] },
  });
  const target = document('Dataplane', 'edge-1', {
    networking: { address: '127.0.0.1', gateway: { type: 'BUILTIN', tags: { 'kuma.io/service': 'edge' } } },
  });
  const client = { kind: 'MeshService', name: 'backend', mesh: 'consume' };
  const policy = document('MeshTrafficPermission', 'cross-mesh-permission', {
    spec: {
      targetRef: { kind: 'MeshGatewayRoute', name: 'cross-mesh-route' },
      ...fromList([client, 'ALLOW'], [{ ...client, kind: 'MeshServiceSubset', tags: { version: 'v1' } }, 'DENY']),
    },
  });
  const ask = (version: string, mesh: string, path?: string) =>
    decide({
      policies: [policy],
      dataplane: target,
      request: { tags: { 'kuma.io/service': 'backend', version }, mesh, path },
      mesh: indexMesh([gateway, route, target]),
    }).decision;

  it('is allowed and denied as of its mesh', () => {
    assert.equal(ask('v2', 'consume', '/'), 'Allow');
    assert.equal(ask('v1', 'consume', '/'), 'Deny');
    assert.equal(ask('v2', 'expose', '/'), 'Deny');
    assert.equal(ask('v2', 'consume'), 'Deny');
  });
});

const TD = 'spiffe://trust-domain.mesh';

describe('docs/design/sources.md#spiffe: schema', () => {
  const policies = [
    permission('by-mesh-operator', { targetRef: {}, default: { deny: [exact(`${TD}/ns/default/sa/frontend`)] } }),
    permission('by-service-owner', {
      targetRef: {},
      default: {
        deny: [exact(`${TD}/ns/default/sa/api-gateway`)],
        allowWithShadowDeny: [prefix(`${TD}/ns/legacy`)],
        allow: [prefix(`${TD}/`)],
      },
    }),
  ];
  const clients: readonly (readonly [id: string, verdict: string])[] = [
    [`${TD}/ns/default/sa/frontend`, 'Deny'],
    [`${TD}/ns/default/sa/api-gateway`, 'Deny'],
    [`${TD}/ns/legacy/sa/x`, 'Allow, shadow Deny'],
    [`${TD}/ns/default/sa/backend`, 'Allow'],
    ['spiffe://other.mesh/ns/default/sa/backend', 'Deny'],
  ];
  for (const [id, expected] of clients) it(`${id}: ${expected}`, () => assert.equal(verdict(policies, { spiffeIds: [id] }), expected));
});

describe('docs/design/sources.md#spiffe: user stories', () => {
  const owner = (conf: JsonObject) =>
    permission('by-backend-owner', { targetRef: { kind: 'Dataplane', labels: { app: 'backend' } }, default: conf });
  const operator = (conf: JsonObject) => permission('by-mesh-operator', { default: conf });
  const anyone = `${TD}/ns/default/sa/anyone`;
  const scraper = `${TD}/ns/observability/sa/scraper`;
  const gateway = `${TD}/ns/default/sa/api-gateway`;
  const from = (id: string, more: { method?: string; path?: string } = {}): Request => ({ spiffeIds: [id], ...more });
  const denied = operator({ deny: [exact(gateway), exact(`${TD}/ns/default/sa/legacy-workload`), prefix('spiffe://legacy.mesh/')] });
  const open = owner({ allow: [prefix(`${TD}/`)] });
  const observed = operator({ allow: [prefix(`${TD}/ns/observability`)] });

  it('mesh operator 1: everything is denied by default', () => assert.equal(verdict([], from(anyone)), 'Deny'));

  it('mesh operator 2: service owners can’t override a deny', () => {
    const all = owner({ allow: [prefix(`${TD}/`), prefix('spiffe://legacy.mesh/')] });
    for (const id of [gateway, `${TD}/ns/default/sa/legacy-workload`, 'spiffe://legacy.mesh/x'])
      assert.equal(verdict([denied, all], from(id)), 'Deny');
    assert.equal(verdict([denied, all], from(anyone)), 'Allow');
  });

  it('mesh operator 3: observability may enter everywhere', () => {
    for (const target of [backend, other]) {
      assert.equal(verdict([observed], from(scraper), target), 'Allow');
      assert.equal(verdict([observed], from(anyone), target), 'Deny');
    }
    assert.equal(verdict([observed], from(`${TD}/ns/observability-dev/sa/x`)), 'Deny');
  });

  it('mesh operator 4: observability may read /metrics', () => {
    const metrics = operator({ allow: [{ ...prefix(`${TD}/ns/observability`), path: { type: 'Prefix', value: '/metrics' } }] });
    assert.equal(verdict([metrics], from(scraper, { path: '/metrics', method: 'GET' })), 'Allow');
    assert.equal(verdict([metrics], from(scraper, { path: '/admin', method: 'GET' })), 'Deny');
    assert.equal(verdict([metrics], from(anyone, { path: '/metrics', method: 'GET' })), 'Deny');
  });

  it('service owner 1: grants access, but not past the operator’s deny', () => {
    assert.equal(verdict([denied, open], from(anyone)), 'Allow');
    assert.equal(verdict([denied, open], from(gateway)), 'Deny');
    assert.equal(verdict([denied, open], from(anyone), other), 'Deny');
  });

  it('service owner 2: opts out of observability', () => {
    const optOut = owner({ deny: [prefix(`${TD}/ns/observability`)] });
    assert.equal(verdict([observed, optOut], from(scraper)), 'Deny');
    assert.equal(verdict([observed, optOut], from(scraper), other), 'Allow');
  });

  it('service owner 3: blocks a client that was allowed', () => {
    const blocked = owner({ deny: [exact(`${TD}/ns/default/sa/malicious`)] });
    const allowed = operator({ allow: [prefix(`${TD}/`)] });
    assert.equal(verdict([allowed, blocked], from(`${TD}/ns/default/sa/malicious`)), 'Deny');
    assert.equal(verdict([allowed, blocked], from(anyone)), 'Allow');
  });

  it('service owner 4: everybody may read, some may write', () => {
    const writer = (who: JsonObject) => ({ method: 'POST', ...who });
    const policy = owner({
      allow: [
        { method: 'GET' },
        writer(exact(`${TD}/ns/default/sa/writer-1`)),
        writer(exact(`${TD}/ns/default/sa/writer-2`)),
        writer(prefix(`${TD}/ns/writers`)),
      ],
    });
    const writers = [`${TD}/ns/default/sa/writer-1`, `${TD}/ns/default/sa/writer-2`, `${TD}/ns/writers/sa/x`];
    for (const id of [anyone, ...writers]) assert.equal(verdict([policy], from(id, { method: 'GET', path: '/' })), 'Allow');
    for (const id of writers) assert.equal(verdict([policy], from(id, { method: 'POST', path: '/' })), 'Allow');
    assert.equal(verdict([policy], from(anyone, { method: 'POST', path: '/' })), 'Deny');
  });

  it('is one policy in three shapes of writing', () => {
    const spiffeID = { spiffeID: { type: 'Prefix', value: `${TD}/` } };
    for (const spec of [
      { default: { allow: [prefix(`${TD}/`)] } },
      { default: { allow: [spiffeID] } },
      { rules: [{ default: { allow: [spiffeID] } }] },
    ]) {
      assert.equal(verdict([resource('MeshTrafficPermission', 'p', spec)], from(anyone)), 'Allow');
    }
  });
});
