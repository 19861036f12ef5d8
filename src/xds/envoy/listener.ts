import type { JsonObject } from '../../resource/resource.ts';
import { homeFilter, markFilter, tcpAskFilter } from './ask-zone.ts';
import { httpManager } from './http-manager.ts';
import { type InboundInput, isHttp, namesOf } from './inbound-input.ts';
import { networkRbacFilter } from './rbac-filters.ts';
import { sansFilter } from './sans-filter.ts';
import { mutualTls } from './mutual-tls.ts';
import { typeUrl } from '../wire/resource-types.ts';

/**
 * The listener of an inbound. Without plain text there is one chain, with mutual TLS and RBAC. With it there are two,
 * chosen by the first bytes: TLS has the RBAC; plain text, which no identity comes with, has none.
 */
export function listenerOf(inbound: InboundInput): JsonObject {
  const tls = { ...chain(inbound, true), transportSocket: mutualTls(isHttp(inbound) ? ['h2', 'http/1.1'] : []) };
  const common = {
    name: namesOf(inbound).listener,
    address: { socketAddress: { address: inbound.address, portValue: inbound.port } },
    trafficDirection: 'INBOUND',
  };
  if (!inbound.plaintextToo) return { ...common, filterChains: [tls] };
  const plain = { ...chain(inbound, false), filterChainMatch: { transportProtocol: 'raw_buffer' } };
  return { ...common, listenerFilters: [TLS_INSPECTOR], filterChains: [{ ...tls, filterChainMatch: { transportProtocol: 'tls' } }, plain] };
}

const TLS_INSPECTOR: JsonObject = {
  name: 'envoy.filters.listener.tls_inspector',
  typedConfig: { '@type': typeUrl('envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector') },
};

function chain(inbound: InboundInput, enforced: boolean): JsonObject {
  const last = isHttp(inbound) ? httpManager(inbound, enforced) : tcpProxy(inbound);
  if (!enforced) return { filters: [last] };
  const { asks } = inbound;
  const first = asks ? [markFilter(), sansFilter()] : [sansFilter()];
  if (isHttp(inbound)) return { filters: [...first, last] };
  const rules = networkRbacFilter(inbound);
  return { filters: asks ? [...first, homeFilter(asks), rules, tcpAskFilter(inbound, asks), last] : [...first, rules, last] };
}

function tcpProxy(inbound: InboundInput): JsonObject {
  const { stats, cluster } = namesOf(inbound);
  return {
    name: 'envoy.filters.network.tcp_proxy',
    typedConfig: { '@type': typeUrl('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy'), statPrefix: stats, cluster },
  };
}
