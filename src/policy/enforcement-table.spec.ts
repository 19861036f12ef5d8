import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KINDS } from '../resource/kinds.ts';
import type { JsonObject } from '../resource/resource.ts';
import { type KindEnforcement, enforcementOf } from './enforcement-table.ts';

const SHADOW = { 'kuma.io/effect': 'shadow' };
const onGateway = { targetRef: { kind: 'MeshGateway', name: 'edge' } };

type EnforcementRow = readonly [
  type: string,
  spec: JsonObject,
  enforced: KindEnforcement['enforced'],
  reason?: RegExp,
  labels?: Readonly<Record<string, string>>,
];

/** Of each kind what is enforced of one that says nothing special, then what makes a difference. */
const ROWS: readonly EnforcementRow[] = [
  ['Dataplane', { networking: { inbound: [] } }, 'yes'],
  ['Dataplane', { networking: { gateway: { type: 'BUILTIN' } } }, 'yes'],
  ['Dataplane', { networking: { gateway: { type: 'DELEGATED' } } }, 'no', /not BUILTIN has listeners of its own, which are not served/],
  ['Dataplane', { networking: { gateway: {} } }, 'no', /no permission is enforced at this proxy/],
  ['DataplaneInsight', {}, 'yes'],
  ['HostnameGenerator', {}, 'no', /^a HostnameGenerator is kept and shown, and not enforced/],
  ['Mesh', {}, 'yes'],
  ['Mesh', { mtls: { enabledBackend: 'a' } }, 'yes'],
  ['Mesh', { logging: {}, constraints: { dataplaneProxy: {} }, routing: { a: 1 } }, 'partly', /^of a Mesh, constraints, routing is kept/],
  ...['MeshAccessLog', 'MeshCircuitBreaker', 'MeshFaultInjection', 'MeshHealthCheck', 'MeshLoadBalancingStrategy', 'MeshMetric'].map(
    traffic,
  ),
  ...['MeshPassthrough', 'MeshProxyPatch', 'MeshRateLimit', 'MeshRetry', 'MeshTimeout', 'MeshTrace'].map(traffic),
  ['MeshTimeout', {}, 'no', /shadow: it is matched and shown, and not enforced/, SHADOW],
  ['MeshExternalService', {}, 'no', /no proxy sends requests to it/],
  ['MeshGateway', {}, 'yes'],
  [
    'MeshGateway',
    {
      conf: {
        listeners: [
          { port: 80, protocol: 'HTTP' },
          { port: 81, protocol: 'HTTP', crossMesh: true },
        ],
      },
    },
    'yes',
  ],
  [
    'MeshGateway',
    {
      conf: {
        listeners: [
          { port: 1, protocol: 'HTTP' },
          { port: 2, protocol: 'TCP' },
        ],
      },
    },
    'partly',
    /^listener 2 is not served: protocol TCP/,
  ],
  ['MeshGateway', { conf: { listeners: [{ port: 2, protocol: 'TLS' }] } }, 'no', /^listener 2 is not served: protocol TLS/],
  ['MeshHTTPRoute', {}, 'partly', /only gateways route, by those on a MeshGateway; permissions that target it/],
  ['MeshHTTPRoute', { ...onGateway, to: [{ targetRef: { kind: 'Mesh' }, rules: [] }] }, 'yes'],
  [
    'MeshHTTPRoute',
    { ...onGateway, to: [{ targetRef: { kind: 'MeshService', name: 'a' } }] },
    'partly',
    /not for `kind: Mesh` are not routed by/,
  ],
  [
    'MeshHTTPRoute',
    { ...onGateway, to: [{ targetRef: { kind: 'Mesh' }, rules: [{ default: { filters: [{}] } }] }] },
    'partly',
    /filters, which/,
  ],
  ['MeshTCPRoute', {}, 'partly', /only gateways route/],
  ['MeshIdentity', {}, 'no', /^a MeshIdentity is .*not enforced/],
  ['MeshMultiZoneService', {}, 'partly', /not enforced: no proxy sends requests to it/],
  ['MeshService', {}, 'yes'],
  ['MeshTLS', { rules: [{ default: { mode: 'Strict' } }] }, 'yes'],
  ['MeshTLS', { rules: [{ default: { tlsVersion: { min: 'TLS13' } } }] }, 'partly', /^of a MeshTLS, tlsVersion is kept and shown, and not/],
  ['MeshTLS', { from: [{ default: { mode: 'Strict', tlsCiphers: ['x'] } }] }, 'partly', /tlsCiphers/],
  ['MeshTLS', onGateway, 'yes'],
  ['MeshTrafficPermission', {}, 'yes'],
  ['MeshTrafficPermission', {}, 'no', /shadow/, SHADOW],
  ['MeshTrafficPermission', onGateway, 'yes'],
  ['MeshTrafficPermission', { targetRef: { kind: 'MeshGatewayRoute', name: 'r' } }, 'yes'],
  ['MeshTrafficPermission', { targetRef: { kind: 'Mesh', proxyTypes: ['Gateway', 'Sidecar'] } }, 'yes'],
  ['MeshTrafficPermission', { targetRef: { kind: 'MeshHTTPRoute', name: 'r' } }, 'yes'],
  ['MeshTrust', {}, 'partly', /^a MeshTrust is enforced at the cross-mesh listeners of gateways alone/],
  ['Workload', {}, 'no', /^a Workload is .*not enforced/],
  ['Zone', {}, 'yes'],
  ['ZoneInsight', {}, 'yes'],
  ['AccessPolicy', {}, 'partly', /^an AccessPolicy is enforced for callers of the service's own zone; those of other zones are denied/],
  ['AccessPolicy', {}, 'no', /shadow/, SHADOW],
  ['PrivilegedAccessPolicy', {}, 'partly', /^a PrivilegedAccessPolicy is enforced for callers of the service's own zone/],
  ['LoadBalancingPolicy', {}, 'no', /no proxy picks a site by it/],
];

function traffic(type: string): EnforcementRow {
  return [type, {}, 'no', new RegExp(`^a ${type} is matched, merged and shown, and not enforced`)];
}

describe('enforcementOf', () => {
  for (const [type, spec, enforced, reason, labels = {}] of ROWS) {
    it(`${type} ${JSON.stringify(spec)} ${JSON.stringify(labels)}: ${enforced}`, () => {
      const found = enforcementOf(type, labels, spec);
      assert.equal(found.enforced, enforced);
      assert.equal(found.reasons.length, reason ? 1 : 0);
      if (reason) assert.match(found.reasons.join(), reason);
    });
  }

  it('is told of every kind', () => {
    const told = new Set(ROWS.map(([type]) => type));
    assert.deepEqual(
      KINDS.map(({ type }) => type).filter((type) => !told.has(type)),
      [],
    );
  });

  it('gives a reason for whatever is not enforced, short enough to read', () => {
    for (const [type, spec, enforced, , labels = {}] of ROWS) {
      const { reasons } = enforcementOf(type, labels, spec);
      assert.equal(reasons.length > 0, enforced !== 'yes', type);
      for (const reason of reasons) assert.ok(reason.length <= 160, reason);
    }
  });
});
