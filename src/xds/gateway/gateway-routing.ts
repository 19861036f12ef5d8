import type { RoutedBackend, RoutedRule } from '../../policy/gateway/gateway-routes.ts';
import type { HttpRouteMatch } from '../../resource/route-match.ts';
import type { JsonObject } from '../../resource/resource.ts';
import { HTTP2_OPTIONS } from '../envoy/cluster.ts';
import type { Certificates } from '../envoy/inbound-input.ts';
import { FROM_XDS } from '../envoy/rbac-filters.ts';
import { typeUrl } from '../wire/resource-types.ts';

/** A rule of a route as one of Envoy's. Timeouts are the caller's business: Envoy's own would cut streams off. */
export function routeOf({ match, backends }: RoutedRule): JsonObject {
  const weighted = backends.filter(({ weight }) => weight > 0);
  const [first, ...others] = weighted;
  if (!first) return { match: toRouteMatch(match), directResponse: NO_BACKEND };
  if (others.length === 0) return { match: toRouteMatch(match), route: { cluster: clusterName(first), timeout: '0s' } };
  const clusters = weighted.map((backend) => ({ name: clusterName(backend), weight: backend.weight }));
  return { match: toRouteMatch(match), route: { weightedClusters: { clusters }, timeout: '0s' } };
}

const NO_BACKEND: JsonObject = { status: 503, body: { inlineString: 'this route of the gateway leads nowhere\n' } };

/** Without regular expressions. */
function toRouteMatch({ path, method, headers = [], queryParams = [] }: HttpRouteMatch): JsonObject {
  const asked = headers.map(toHeader);
  const methods = method === undefined ? [] : [{ name: ':method', stringMatch: { exact: method } }];
  const queries = queryParams.map(({ name, value }) => ({ name, stringMatch: { exact: value } }));
  return { ...toPath(path), headers: [...methods, ...asked], queryParameters: queries };
}

function toPath(path: HttpRouteMatch['path']): JsonObject {
  if (path?.type === 'Exact') return { path: path.value };
  const prefix = (path?.value ?? '/').replace(/\/+$/, '');
  return prefix === '' ? { prefix: '/' } : { pathSeparatedPrefix: prefix };
}

function toHeader({ type = 'Exact', name, value = '' }: NonNullable<HttpRouteMatch['headers']>[number]): JsonObject {
  switch (type) {
    case 'Exact':
      return { name, stringMatch: { exact: value } };
    case 'Prefix':
      return { name, stringMatch: { prefix: value } };
    case 'RegularExpression':
      return { name, stringMatch: { safeRegex: { regex: value } } };
    case 'Present':
      return { name, presentMatch: true };
    case 'Absent':
      return { name, presentMatch: false };
  }
}

function clusterName({ name }: RoutedBackend): string {
  return `backend:${name}`;
}

/**
 * A backend, over mutual TLS: the gateway shows its own certificate, and whoever answers must show one of the mesh with
 * an identity of the backend. Without endpoints Envoy answers with 503.
 */
export function backendCluster(backend: RoutedBackend, certificates: Certificates): JsonObject {
  const { endpoints } = backend;
  const lbEndpoints = endpoints.map(({ address, port }) => ({ endpoint: { address: { socketAddress: { address, portValue: port } } } }));
  const http2 = endpoints.length > 0 && endpoints.every((endpoint) => endpoint.http2);
  return {
    name: clusterName(backend),
    type: 'STATIC',
    connectTimeout: '5s',
    loadAssignment: { clusterName: clusterName(backend), endpoints: [{ lbEndpoints }] },
    transportSocket: toBackends([...new Set(endpoints.flatMap(({ identities }) => identities))], certificates),
    ...(http2 ? HTTP2_OPTIONS : {}),
  };
}

function toBackends(identities: readonly string[], { ca }: Certificates): JsonObject {
  const sans = identities.map((exact) => ({ sanType: 'URI', matcher: { exact } }));
  return {
    name: 'envoy.transport_sockets.tls',
    typedConfig: {
      '@type': typeUrl('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext'),
      commonTlsContext: {
        tlsCertificateSdsSecretConfigs: [{ name: 'identity', sdsConfig: FROM_XDS }],
        // Without an identity nothing would be compared: nobody has this one.
        validationContext: { trustedCa: { filename: ca }, matchTypedSubjectAltNames: sans.length > 0 ? sans : [NOBODY] },
      },
    },
  };
}

const NOBODY: JsonObject = { sanType: 'URI', matcher: { exact: 'none' } };
