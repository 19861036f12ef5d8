import { isIP } from 'node:net';
import { MeridianError } from '../../errors.ts';
import type { JsonObject } from '../../resource/resource.ts';
import { nodeId } from '../server/proxy-id.ts';
import { typeUrl } from '../wire/resource-types.ts';

export interface BootstrapInput {
  readonly mesh: string;
  /** The Dataplane's name in the zone's REST API. */
  readonly name: string;
  /** `host:port` of the zone's xDS server; an IPv6 address in brackets. */
  readonly xdsAddress: string;
  /** undefined: the certificate below proves who it is. */
  readonly token?: string | undefined;
  /** Of Envoy's own administration, on loopback. */
  readonly adminPort: number;
  /** A PEM file with the CA of the xDS server's certificate. Without it the connection is plain text, for loopback. */
  readonly xdsCa?: string | undefined;
  /**
   * PEM files of the proxy's own certificate for the xDS server; Envoy reads them when it starts. With `xdsCa` only.
   */
  readonly xdsIdentity?: { readonly cert: string; readonly key: string } | undefined;
}

/** The zone, as a proxy of its bootstrap calls it. */
export const XDS_CLUSTER = 'meridian-xds';
const HTTP_OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

/**
 * An Envoy bootstrap (proto3 JSON) for one proxy: who it is, its proof, and where its zone is. Throws `invalid` when
 * xdsAddress is not one, and when nothing proves who it is.
 * How long a TCP connection that lost its permission may go on is Envoy's `--drain-time-s`, which no bootstrap can set:
 * see `envoyArguments`.
 */
export function bootstrap({ mesh, name, xdsAddress, token, adminPort, xdsCa, xdsIdentity }: BootstrapInput): JsonObject {
  const { host, port } = addressOf(xdsAddress);
  if (token === undefined && (!xdsCa || !xdsIdentity))
    throw new MeridianError('invalid', 'a proxy needs a token, or a certificate over TLS');
  const source = { ads: {}, resourceApiVersion: 'V3' };
  const initialMetadata = token === undefined ? [] : [{ key: 'authorization', value: `Bearer ${token}` }];
  const transportSocket = xdsCa === undefined ? {} : { transportSocket: tls(host, xdsCa, xdsIdentity) };
  return {
    node: { id: nodeId({ mesh, name }), cluster: mesh },
    admin: { address: { socketAddress: { address: '127.0.0.1', portValue: adminPort } } },
    dynamicResources: {
      adsConfig: {
        apiType: 'DELTA_GRPC',
        transportApiVersion: 'V3',
        setNodeOnFirstMessageOnly: true,
        grpcServices: [{ envoyGrpc: { clusterName: XDS_CLUSTER }, initialMetadata }],
      },
      cdsConfig: source,
      ldsConfig: source,
    },
    staticResources: { clusters: [{ ...xdsCluster(host, port), ...transportSocket }] },
  };
}

function addressOf(text: string): { host: string; port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host !== undefined && port > 0 && port < 65_536) return { host, port };
  throw new MeridianError('invalid', `${JSON.stringify(text)} is not host:port`, {
    problems: [{ field: 'xdsAddress', reason: 'must be host:port, an IPv6 address in brackets' }],
  });
}

function xdsCluster(host: string, port: number): JsonObject {
  const endpoint = { address: { socketAddress: { address: host, portValue: port } } };
  const http2ProtocolOptions = { connectionKeepalive: { interval: '30s', timeout: '5s' } };
  return {
    name: XDS_CLUSTER,
    type: isIP(host) === 0 ? 'STRICT_DNS' : 'STATIC',
    connectTimeout: '5s',
    typedExtensionProtocolOptions: { [HTTP_OPTIONS]: { '@type': typeUrl(HTTP_OPTIONS), explicitHttpConfig: { http2ProtocolOptions } } },
    loadAssignment: { clusterName: XDS_CLUSTER, endpoints: [{ lbEndpoints: [{ endpoint }] }] },
  };
}

function tls(host: string, ca: string, identity: BootstrapInput['xdsIdentity']): JsonObject {
  const own = identity && [{ certificateChain: { filename: identity.cert }, privateKey: { filename: identity.key } }];
  const sanType = isIP(host) === 0 ? 'DNS' : 'IP_ADDRESS';
  return {
    name: 'envoy.transport_sockets.tls',
    typedConfig: {
      '@type': typeUrl('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext'),
      ...(sanType === 'DNS' ? { sni: host } : {}),
      commonTlsContext: {
        ...(own ? { tlsCertificates: own } : {}),
        validationContext: { trustedCa: { filename: ca }, matchTypedSubjectAltNames: [{ sanType, matcher: { exact: host } }] },
      },
    },
  };
}

/**
 * The command line to start Envoy with. `drainSeconds` (1 or more): how long a TCP connection that lost its permission
 * may go on. Envoy closes what is left of a changed listener then, idle or not; if not told, after ten minutes.
 */
export function envoyArguments(bootstrapFile: string, drainSeconds: number): string[] {
  return ['-c', bootstrapFile, '--drain-time-s', String(drainSeconds), '--drain-strategy', 'immediate'];
}
