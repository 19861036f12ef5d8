import type { JsonObject } from '../../resource/resource.ts';
import { type InboundInput, namesOf } from './inbound-input.ts';
import { typeUrl } from '../wire/resource-types.ts';

const HTTP2: readonly InboundInput['protocol'][] = ['http2', 'grpc'];
const OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

/** The application behind an inbound. */
export function clusterOf(inbound: InboundInput): JsonObject {
  const { cluster } = namesOf(inbound);
  const socketAddress = { address: inbound.serviceAddress ?? '127.0.0.1', portValue: inbound.servicePort };
  return {
    name: cluster,
    type: 'STATIC',
    connectTimeout: '5s',
    loadAssignment: { clusterName: cluster, endpoints: [{ lbEndpoints: [{ endpoint: { address: { socketAddress } } }] }] },
    ...(HTTP2.includes(inbound.protocol) ? HTTP2_OPTIONS : {}),
  };
}

export const HTTP2_OPTIONS: JsonObject = {
  typedExtensionProtocolOptions: { [OPTIONS]: { '@type': typeUrl(OPTIONS), explicitHttpConfig: { http2ProtocolOptions: {} } } },
};
