import { asMeridianError } from '../../errors.ts';
import type { JsonObject } from '../../resource/resource.ts';
import type { UnbuiltInbound } from '../envoy/inbound-input.ts';
import { encodeResource } from '../wire/encode-resource.ts';
import { TYPE_URLS } from '../wire/resource-types.ts';
import type { GatewayPort } from './gateway-input.ts';
import { gatewayListener, gatewayRoutes } from './gateway-listener.ts';
import { backendCluster } from './gateway-routing.ts';

/** What is made for the ports of a gateway. */
export interface BuiltPorts {
  readonly clusters: readonly JsonObject[];
  readonly listeners: readonly JsonObject[];
  readonly routes: readonly JsonObject[];
  /** Those that can't be made: nobody gets in, since there is no listener. */
  readonly shut: readonly UnbuiltInbound[];
}

export function buildPorts(ports: readonly GatewayPort[]): BuiltPorts {
  const built = ports.map(buildPort);
  const parts = built.flatMap((one) => ('parts' in one ? [one.parts] : []));
  const clusters = new Map(parts.flatMap((part) => part.clusters.map((cluster) => [cluster.name, cluster])));
  return {
    clusters: [...clusters.values()],
    listeners: parts.map(({ listener }) => listener),
    routes: parts.map(({ routes }) => routes),
    shut: built.flatMap((one) => ('shut' in one ? [one.shut] : [])),
  };
}

interface PortParts {
  readonly clusters: readonly JsonObject[];
  readonly listener: JsonObject;
  readonly routes: JsonObject;
}

/** What can't be encoded is found here, where it is known whose it is. What is encoded once is so for good. */
function buildPort(port: GatewayPort): { readonly parts: PortParts } | { readonly shut: UnbuiltInbound } {
  try {
    const backends = port.hosts.flatMap(({ rules }) => rules.flatMap((rule) => rule.backends));
    const distinct = new Map(backends.map((backend) => [backend.name, backend]));
    const clusters = [...distinct.values()].map((backend) => backendCluster(backend, port.certificates));
    const parts = { clusters, listener: gatewayListener(port), routes: gatewayRoutes(port) };
    for (const cluster of clusters) encodeResource(TYPE_URLS.clusters, cluster);
    encodeResource(TYPE_URLS.listeners, parts.listener);
    encodeResource(TYPE_URLS.routes, parts.routes);
    return { parts };
  } catch (thrown) {
    return { shut: { inbound: String(port.port), reason: asMeridianError(thrown).message } };
  }
}
