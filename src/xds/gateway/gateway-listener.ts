import type { JsonObject } from '../../resource/resource.ts';
import { TOKEN_HEADER } from '../envoy/ask-zone.ts';
import { AMBIGUOUS, OVERRIDES, READ_ONE_WAY } from '../envoy/http-manager.ts';
import { closed, FROM_XDS } from '../envoy/rbac-filters.ts';
import { typeUrl } from '../wire/resource-types.ts';
import { type GatewayHost, type GatewayPort, portNames } from './gateway-input.ts';
import { routeOf } from './gateway-routing.ts';
import { entrySocket, oneDomainFilter } from './gateway-tls.ts';

const HTTP = typeUrl('envoy.extensions.filters.http.rbac.v3.RBAC');
const PER_ROUTE = typeUrl('envoy.extensions.filters.http.rbac.v3.RBACPerRoute');
const RBAC = 'rbac';

/** The listener of a port. Its filter denies; each host has the rules that stand in its place. */
export function gatewayListener(port: GatewayPort): JsonObject {
  const { address, entry } = port;
  const first = entry.kind === 'mesh' ? [oneDomainFilter(entry.trusted)] : [];
  const transportSocket = entrySocket(entry);
  return {
    name: portNames(port).listener,
    address: { socketAddress: { address, portValue: port.port } },
    trafficDirection: 'INBOUND',
    filterChains: [{ filters: [...first, manager(port)], ...(transportSocket ? { transportSocket } : {}) }],
  };
}

/** Callers of a gateway may be anybody: what they say of where they come from is not believed. */
function manager(port: GatewayPort): JsonObject {
  const { routes, stats } = portNames(port);
  const router = { name: 'envoy.filters.http.router', typedConfig: { '@type': typeUrl('envoy.extensions.filters.http.router.v3.Router') } };
  return {
    name: 'envoy.filters.network.http_connection_manager',
    typedConfig: {
      '@type': typeUrl('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'),
      statPrefix: stats,
      rds: { routeConfigName: routes, configSource: FROM_XDS },
      httpFilters: [{ name: RBAC, typedConfig: { '@type': HTTP, rules: {} } }, router],
      ...READ_ONE_WAY,
      useRemoteAddress: true,
      stripAnyHostPort: true,
    },
  };
}

/** Discovered, not part of the listener: what changes holds at once, on open connections too. */
export function gatewayRoutes(port: GatewayPort): JsonObject {
  const { routes } = portNames(port);
  return { name: routes, virtualHosts: port.hosts.map(virtualHost), requestHeadersToRemove: [...OVERRIDES, TOKEN_HEADER] };
}

function virtualHost({ hostname, rbac, anybody, rules }: GatewayHost): JsonObject {
  const { '@type': _, ...config } = closed(rbac);
  // Without `rbac` nothing is asked.
  const instead = anybody ? { '@type': PER_ROUTE } : { '@type': PER_ROUTE, rbac: config };
  return {
    name: hostname,
    domains: [hostname],
    typedPerFilterConfig: { [RBAC]: instead },
    routes: [AMBIGUOUS, ...rules.map(routeOf), NOT_ROUTED],
  };
}

const NOT_ROUTED: JsonObject = {
  match: { prefix: '/' },
  directResponse: { status: 404, body: { inlineString: 'no route of this gateway is for this request\n' } },
};
