import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hashedName } from '../../naming/hash-name.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import { dataplane, exact, permission, resource, type WorldOptions, world } from '../../../test/harness/policies.ts';
import { matchInbound, matchProxy } from './select-policies.ts';

const ALLOW = { default: { allow: [exact('spiffe://td/web')] } };

/** Whether a permission with this targetRef selects the one inbound of a proxy. */
function selects(targetRef: JsonObject, shape: WorldOptions, from = 'east', others: readonly Resource[] = []): boolean {
  const { policies, proxy, inbound, mesh } = world([permission('p', { targetRef, ...ALLOW }, from)], dataplane(shape), others);
  return matchInbound(policies, proxy, inbound, mesh).length > 0;
}

const tags = { 'kuma.io/service': 'backend', app: 'backend', env: 'prod' };
const shape: WorldOptions = { tags, labels: { app: 'backend', canary: '' } };

const service = (name: string, selector: JsonObject, from = 'east', ports: readonly JsonObject[] = []) =>
  resource('MeshService', name, { selector, ...(ports.length > 0 ? { ports } : {}) }, from, { team: 'a' });
const byTags = { dataplaneTags: { app: 'backend' } };

const cases: readonly (readonly [expected: boolean, targetRef: JsonObject, from?: string, others?: readonly Resource[]])[] = [
  [true, {}],
  [true, { kind: 'Mesh' }],
  [true, { kind: 'Mesh', proxyTypes: ['Sidecar'] }],
  [false, { kind: 'Mesh', proxyTypes: ['Gateway'] }],
  [true, { kind: 'MeshSubset' }],
  [true, { kind: 'MeshSubset', tags: { env: 'prod', app: 'backend' } }],
  [false, { kind: 'MeshSubset', tags: { env: 'prod', app: 'other' } }],
  [false, { kind: 'MeshSubset', tags: { missing: 'x' } }],
  [true, { kind: 'MeshSubset', tags: { 'kuma.io/zone': 'east' } }, ''],
  [false, { kind: 'MeshSubset', tags: { 'kuma.io/zone': 'west' } }, ''],
  [true, { kind: 'MeshSubset', tags: { 'kuma.io/display-name': 'backend-1' } }, ''],
  [true, { kind: 'Dataplane', labels: { canary: '' } }],
  [true, { kind: 'Dataplane', labels: { canary: '', app: 'backend' } }],
  [false, { kind: 'Dataplane', labels: { canary: 'x' } }],
  [false, { kind: 'Dataplane', labels: { app: '' } }],
  [false, { kind: 'Dataplane', labels: { missing: '' } }],
  [true, { kind: 'MeshService', name: 'svc' }, 'east', [service('svc', { dataplaneLabels: { matchLabels: { canary: '' } } })]],
  [true, { kind: 'MeshService', name: 'backend' }],
  [true, { kind: 'MeshService', name: 'backend', sectionName: 'main' }],
  [false, { kind: 'MeshService', name: 'backend', sectionName: 'admin' }],
  [false, { kind: 'MeshService', name: 'other' }],
  [false, { kind: 'MeshService', name: 'backend', namespace: 'ns' }],
  [true, { kind: 'MeshService', name: 'svc' }, 'east', [service('svc', byTags)]],
  [false, { kind: 'MeshService', name: 'svc' }, 'east', [service('svc', byTags, 'west')]],
  [false, { kind: 'MeshService', name: 'svc' }, 'east', [service('svc', {})]],
  [true, { kind: 'MeshService', labels: { team: 'a' } }, '', [service('svc', byTags)]],
  [true, { kind: 'MeshService', name: 'svc' }, 'east', [service('svc', { dataplaneRef: { name: 'backend-1' } })]],
  [false, { kind: 'MeshService', name: 'svc' }, 'east', [service('svc', { dataplaneRef: { name: 'backend-2' } })]],
  [true, { kind: 'MeshService', name: 'svc' }, 'east', [service('svc', { dataplaneLabels: { matchLabels: { app: 'backend' } } })]],
  [
    true,
    { kind: 'MeshService', name: 'svc', sectionName: 'web' },
    'east',
    [service('svc', byTags, 'east', [{ port: 80, targetPort: 8080, name: 'web' }])],
  ],
  [
    true,
    { kind: 'MeshService', name: 'svc', sectionName: '80' },
    'east',
    [service('svc', byTags, 'east', [{ port: 80, targetPort: 'main' }])],
  ],
  [false, { kind: 'MeshService', name: 'svc' }, 'east', [service('svc', byTags, 'east', [{ port: 80, targetPort: 9090 }])]],
  [false, { kind: 'MeshService', name: 'svc' }, 'east', [service('svc', byTags, 'east/other')]],
  [false, { kind: 'MeshService', labels: { team: 'a' } }, '', [service('svc', byTags, 'east/other')]],
  [true, { kind: 'MeshServiceSubset', name: 'backend', tags: { env: 'prod' } }],
  [false, { kind: 'MeshServiceSubset', name: 'backend', tags: { env: 'dev' } }],
  [false, { kind: 'MeshServiceSubset', name: 'other', tags: { env: 'prod' } }],
  [true, { kind: 'Dataplane' }],
  [true, { kind: 'Dataplane', sectionName: '8080' }],
  [true, { kind: 'Dataplane', name: 'backend-1' }],
  [false, { kind: 'Dataplane', name: 'backend-1' }, ''],
  [false, { kind: 'Dataplane', name: 'backend-1' }, 'west'],
  [false, { kind: 'Dataplane', name: 'backend-1', namespace: 'ns' }],
  [true, { kind: 'Dataplane', name: hashedName({ mesh: 'default', name: 'backend-1', zone: 'east', namespace: '' }) }, ''],
  [false, { kind: 'Dataplane', name: hashedName({ mesh: 'default', name: 'backend-2', zone: 'east', namespace: '' }) }, ''],
  [true, { kind: 'Dataplane', labels: { app: 'backend' } }],
  [true, { kind: 'Dataplane', labels: { app: 'backend', 'kuma.io/zone': 'east' }, sectionName: 'main' }, ''],
  [false, { kind: 'Dataplane', labels: { app: 'backend' }, sectionName: 'admin' }],
  [false, { kind: 'Dataplane', labels: { app: 'other' } }],
  [false, { kind: 'MeshGateway', name: 'edge' }],
  [false, { kind: 'MeshHTTPRoute', name: 'missing' }],
];

describe('matching a top-level targetRef', () => {
  for (const [expected, targetRef, from = 'east', others = []] of cases) {
    it(`${JSON.stringify(targetRef)} of ${from || 'global'}: ${expected}`, () =>
      assert.equal(selects(targetRef, shape, from, others), expected));
  }

  it('takes a name in a custom namespace for what it is there, not for that of a copy', () => {
    const name = hashedName({ mesh: 'default', name: 'backend-1', zone: 'east', namespace: 'ns' });
    assert.equal(selects({ kind: 'Dataplane', name }, { ...shape, from: 'east/ns' }, 'east/ns'), false);
    assert.equal(selects({ kind: 'Dataplane', name }, { ...shape, from: 'east/ns' }, 'east/kuma-system'), true);
  });

  it('never leaves its mesh', () => assert.equal(selects({}, { ...shape, mesh: 'other' }, ''), false));

  it('selects one inbound of several', () => {
    const inbound = [
      { port: 1, tags },
      { port: 2, tags: { app: 'admin' } },
    ];
    const target = resource('Dataplane', 'd', { networking: { address: '127.0.0.1', inbound } }, 'east');
    const { policies, proxy, mesh } = world(
      [permission('p', { targetRef: { kind: 'MeshSubset', tags: { app: 'admin' } }, ...ALLOW }, 'east')],
      target,
    );
    assert.deepEqual(
      proxy.inbounds.map((one) => matchInbound(policies, proxy, one, mesh).length),
      [0, 1],
    );
    assert.equal(matchProxy(policies, proxy, mesh).length, 1);
  });

  it('believes no tag and no label about zone and namespace', () => {
    const lies = { 'kuma.io/zone': 'east', 'k8s.kuma.io/namespace': 'ns', 'kuma.io/display-name': 'x' };
    const liar = resource('Dataplane', 'd', { networking: { address: '127.0.0.1', inbound: [{ port: 1, tags: lies }] } }, 'west/own');
    const forged = { ...liar, labels: { ...liar.labels, ...lies } };
    for (const targetRef of [
      { kind: 'MeshSubset', tags: lies },
      { kind: 'Dataplane', labels: lies },
    ]) {
      const { policies, proxy, inbound, mesh } = world([permission('p', { targetRef, ...ALLOW })], forged);
      assert.deepEqual(matchInbound(policies, proxy, inbound, mesh), []);
    }
  });

  it('believes no namespace of a proxy that is in none', () => {
    const lies = { 'k8s.kuma.io/namespace': 'ns' };
    assert.equal(selects({ kind: 'MeshSubset', tags: lies }, { tags: lies }, ''), false);
  });

  it('marks shadow policies, and takes what it cannot read for a permission about everything', () => {
    const shadow = permission('s', ALLOW, '', { 'kuma.io/effect': 'shadow' });
    const broken: Resource = { ...permission('b', ALLOW), spec: { targetRef: { kind: 'Galaxy' } } };
    const timeout: Resource = { ...resource('MeshTimeout', 't', {}), spec: { targetRef: { kind: 'Galaxy' } } };
    const { policies, proxy, inbound, mesh } = world([shadow, broken, timeout], dataplane(shape));
    const found = matchInbound(policies, proxy, inbound, mesh).map(({ policy }) => [policy.resource.name, policy.shadow]);
    assert.deepEqual(found, [
      ['s', true],
      ['b', false],
    ]);
  });
});

describe('gateways', () => {
  const gateway = resource('MeshGateway', 'edge', {
    selectors: [{ match: { 'kuma.io/service': 'edge' } }],
    conf: {
      listeners: [
        { port: 80, protocol: 'HTTP', tags: { port: 'plain' } },
        { port: 443, protocol: 'TLS', tags: { port: 'tls' } },
      ],
    },
  });
  const spec = { networking: { address: '127.0.0.1', gateway: { type: 'BUILTIN', tags: { 'kuma.io/service': 'edge' } } } };
  const target = resource('Dataplane', 'edge-1', spec, 'east');
  const ports = (targetRef: JsonObject, others: readonly Resource[] = [gateway]) => {
    const { policies, proxy, mesh } = world([permission('p', { targetRef, ...ALLOW })], target, others);
    return proxy.inbounds.filter((inbound) => matchInbound(policies, proxy, inbound, mesh).length > 0).map(({ port }) => port);
  };

  it('are selected by name, listeners by tags', () => {
    assert.deepEqual(ports({ kind: 'MeshGateway', name: 'edge' }), [80, 443]);
    assert.deepEqual(ports({ kind: 'MeshGateway', name: 'edge', tags: { port: 'tls' } }), [443]);
    assert.deepEqual(ports({ kind: 'MeshGateway', name: 'other' }), []);
    assert.deepEqual(ports({ kind: 'MeshService', name: 'edge' }), [80, 443]);
    assert.deepEqual(ports({ kind: 'Mesh', proxyTypes: ['Sidecar'] }), []);
    assert.deepEqual(ports({ kind: 'Mesh' }, []), [undefined]);
  });

  it('are what a MeshGatewayRoute leads to', () => {
    const to = [{ targetRef: { kind: 'Mesh' }, rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/v1' } }] }] }];
    const route = resource('MeshHTTPRoute', 'r', { targetRef: { kind: 'MeshGateway', name: 'edge' }, to });
    const aside = resource('MeshHTTPRoute', 's', { targetRef: { kind: 'Mesh' }, to });
    assert.deepEqual(ports({ kind: 'MeshGatewayRoute', name: 'r' }, [gateway, route, aside]), [80, 443]);
    assert.deepEqual(ports({ kind: 'MeshGatewayRoute', name: 's' }, [gateway, route, aside]), []);
  });
});

describe('reach', () => {
  const own = { targetRef: { kind: 'MeshService', name: 'x' } };
  const timeout = (from: string, spec: JsonObject) => resource('MeshTimeout', 't', spec, from);
  const touches = (policy: Resource, from: string) => {
    const { policies, proxy, mesh } = world([policy], dataplane({ from }));
    return matchProxy(policies, proxy, mesh).length > 0;
  };
  const where = ['east', 'west', 'east/ns', 'east/os', 'west/ns'];
  const reached = (policy: Resource) => where.filter((from) => touches(policy, from));

  it('is everything for global, the zone for what a zone’s operators make', () => {
    assert.deepEqual(reached(timeout('', { to: [own] })), where);
    assert.deepEqual(reached(timeout('east', { to: [own] })), ['east', 'east/ns', 'east/os']);
  });

  it('is everything for producers, or the zone that they pin', () => {
    assert.deepEqual(reached(timeout('east/ns', { to: [own] })), where);
    const pinned = { targetRef: { kind: 'MeshSubset', tags: { 'kuma.io/zone': 'west' } }, to: [own] };
    assert.deepEqual(reached(timeout('east/ns', pinned)), ['west', 'west/ns']);
  });

  it('is the namespace for consumers and workload owners', () => {
    const other = { targetRef: { kind: 'MeshService', name: 'x', namespace: 'os' } };
    assert.deepEqual(reached(timeout('east/ns', { to: [other] })), ['east/ns']);
    assert.deepEqual(reached(timeout('east/ns', { from: [{}] })), ['east/ns']);
  });

  it('is no further than a policy is held', () => {
    const external = { targetRef: { kind: 'MeshExternalService', name: 'x' } };
    assert.deepEqual(reached(timeout('east/ns', { to: [external] })), ['east/ns']);
    const kept = resource('MeshTimeout', 't', { to: [own] }, 'east/ns', { 'kuma.io/kds-sync': 'disabled' });
    assert.deepEqual(reached(kept), ['east', 'east/ns', 'east/os']);
  });

  // Every kind of target, each of which would select every proxy here if a tenant were believed.
  const everything: readonly JsonObject[] = [
    {},
    { kind: 'Mesh' },
    { kind: 'MeshSubset', tags: { app: 'backend' } },
    { kind: 'MeshSubset', tags: { 'kuma.io/zone': 'west', 'k8s.kuma.io/namespace': 'os' } },
    { kind: 'MeshService', name: 'backend' },
    { kind: 'MeshService', name: 'backend', namespace: 'os' },
    { kind: 'MeshService', labels: { team: 'a' } },
    { kind: 'MeshServiceSubset', name: 'backend', tags: { app: 'backend' } },
    { kind: 'Dataplane' },
    { kind: 'Dataplane', labels: { app: 'backend' } },
    { kind: 'Dataplane', labels: { 'kuma.io/zone': 'west' } },
    { kind: 'Dataplane', name: 'backend-1', namespace: 'os' },
    { kind: 'MeshGateway', name: 'edge' },
    { kind: 'MeshHTTPRoute', name: 'r' },
    { kind: 'MeshHTTPRoute', labels: { 'kuma.io/display-name': 'r' } },
    { kind: 'MeshTCPRoute', name: 'r' },
    { kind: 'MeshGatewayRoute', name: 'r' },
  ];

  it('never lets a tenant’s policy select a proxy of another namespace or zone, whatever it targets', () => {
    const to = [{ targetRef: { kind: 'MeshService', name: 'backend' }, rules: [{ default: {} }] }];
    const places = fc.constantFrom('east', 'west', 'east/ns', 'east/os', 'west/ns', 'west/os');
    fc.assert(
      fc.property(
        fc.constantFrom(...everything),
        places,
        places,
        fc.constantFrom<string | undefined>(undefined, 'consumer', 'wizard'),
        (targetRef, home, target, role) => {
          fc.pre(home.includes('/') && home !== target);
          const made = permission('tenant', { targetRef, default: { allow: [{ method: 'GET' }] } }, home);
          const policy = role === undefined ? made : { ...made, labels: { ...made.labels, 'kuma.io/policy-role': role } };
          const others = ['east', 'west', 'east/ns', 'east/os'].flatMap((from) => [
            service('backend', byTags, from),
            resource('MeshHTTPRoute', 'r', { to }, from),
          ]);
          const { policies, proxy, inbound, mesh } = world([policy], dataplane({ ...shape, from: target }), others);
          assert.deepEqual(matchInbound(policies, proxy, inbound, mesh), []);
        },
      ),
    );
  });
});
