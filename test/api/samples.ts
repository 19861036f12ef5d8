import type { JsonObject } from '../../src/resource/resource.ts';

const MESH = { kind: 'Mesh' };
const SIDECARS = { kind: 'Mesh', proxyTypes: ['Sidecar'] };
const to = (body: JsonObject): JsonObject => ({ spec: { targetRef: MESH, to: [{ targetRef: MESH, default: body }] } });
const routeTo = (rule: JsonObject): JsonObject => ({
  spec: { targetRef: MESH, to: [{ targetRef: { kind: 'MeshService', name: 'backend' }, rules: [rule] }] },
});
const backends = { default: { backendRefs: [{ kind: 'MeshService', name: 'backend', port: 80, weight: 1 }] } };

/**
 * A body for every kind that users write, which the real kumactl reads too and adds no defaults to. The body alone:
 * type, mesh and name are the test's.
 */
export const SAMPLES: Readonly<Record<string, JsonObject>> = {
  Dataplane: {
    networking: {
      address: '127.0.0.1',
      inbound: [{ port: 10001, servicePort: 8080, tags: { 'kuma.io/service': 'backend', 'kuma.io/protocol': 'http' } }],
    },
  },
  HostnameGenerator: {
    spec: { selector: { meshService: { matchLabels: { app: 'backend' } } }, template: '{{ .Name }}.mesh' },
  },
  Mesh: {},
  MeshAccessLog: to({ backends: [{ type: 'File', file: { path: '/dev/stdout' } }] }),
  MeshCircuitBreaker: to({ connectionLimits: { maxConnections: 2 } }),
  MeshExternalService: {
    spec: { match: { type: 'HostnameGenerator', port: 443, protocol: 'tcp' }, endpoints: [{ address: 'example.com', port: 443 }] },
  },
  MeshFaultInjection: {
    spec: { targetRef: SIDECARS, from: [{ targetRef: MESH, default: { http: [{ abort: { httpStatus: 500, percentage: 10 } }] } }] },
  },
  MeshGateway: {
    selectors: [{ match: { 'kuma.io/service': 'edge' } }],
    conf: { listeners: [{ port: 8080, protocol: 'HTTP', hostname: 'example.com' }] },
  },
  MeshHTTPRoute: routeTo({ matches: [{ path: { type: 'PathPrefix', value: '/' } }], ...backends }),
  MeshHealthCheck: to({ interval: '10s', timeout: '2s', unhealthyThreshold: 3, healthyThreshold: 1, tcp: {} }),
  MeshIdentity: {
    spec: {
      selector: { dataplane: { matchLabels: {} } },
      provider: {
        type: 'Bundled',
        bundled: { insecureAllowSelfSigned: true, meshTrustCreation: 'Enabled', autogenerate: { enabled: true } },
      },
    },
  },
  MeshLoadBalancingStrategy: to({ loadBalancer: { type: 'RoundRobin' } }),
  MeshMetric: {
    spec: {
      targetRef: MESH,
      default: { backends: [{ type: 'Prometheus', prometheus: { port: 5670, path: '/metrics', tls: { mode: 'Disabled' } } }] },
    },
  },
  MeshMultiZoneService: {
    spec: { selector: { meshService: { matchLabels: { app: 'backend' } } }, ports: [{ port: 80, appProtocol: 'http' }] },
  },
  MeshPassthrough: {
    spec: { targetRef: MESH, default: { appendMatch: [{ type: 'Domain', value: 'example.com', protocol: 'tls', port: 443 }] } },
  },
  MeshProxyPatch: {
    spec: {
      targetRef: MESH,
      default: {
        appendModifications: [
          {
            cluster: {
              operation: 'Patch',
              match: { origin: 'outbound' },
              jsonPatches: [{ op: 'replace', path: '/connectTimeout', value: '5s' }],
            },
          },
        ],
      },
    },
  },
  MeshRateLimit: {
    spec: {
      targetRef: SIDECARS,
      from: [{ targetRef: MESH, default: { local: { http: { requestRate: { num: 5, interval: '10s' } } } } }],
    },
  },
  MeshRetry: to({ http: { numRetries: 5 } }),
  MeshService: {
    spec: {
      state: 'Available',
      selector: { dataplaneTags: { app: 'backend' } },
      ports: [{ port: 80, targetPort: 8080, appProtocol: 'http' }],
    },
  },
  MeshTCPRoute: routeTo(backends),
  MeshTLS: { spec: { targetRef: MESH, from: [{ targetRef: MESH, default: { mode: 'Strict' } }] } },
  MeshTimeout: to({ idleTimeout: '1s' }),
  MeshTrace: {
    spec: {
      targetRef: MESH,
      default: {
        backends: [
          {
            type: 'Zipkin',
            zipkin: {
              url: 'http://jaeger-collector:9411/api/v2/spans',
              apiVersion: 'httpJson',
              sharedSpanContext: true,
              traceId128bit: false,
            },
          },
        ],
      },
    },
  },
  MeshTrafficPermission: {
    spec: {
      targetRef: { kind: 'Dataplane', labels: { app: 'backend' } },
      rules: [{ default: { allow: [{ spiffeID: { type: 'Prefix', value: 'spiffe://default/ns/obs' } }] } }],
    },
  },
  MeshTrust: {
    spec: {
      trustDomain: 'default.mesh',
      caBundles: [{ type: 'Pem', pem: { value: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----' } }],
    },
  },
  Workload: { spec: {} },
  Zone: { enabled: true },
  AccessPolicy: {
    spec: {
      action: 'allow',
      from: [{ workloadSelector: { matchLabels: { 'client.clusterlink.net/labels.app': 'web' } } }],
      to: [{ workloadSelector: { matchLabels: {} } }],
    },
  },
  PrivilegedAccessPolicy: {
    spec: { action: 'deny', from: [{ workloadSelector: { matchLabels: {} } }], to: [{ workloadSelector: { matchLabels: {} } }] },
  },
  LoadBalancingPolicy: { spec: { scheme: 'random' } },
};
