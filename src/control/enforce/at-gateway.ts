import { BackendEndpoints } from '../../policy/gateway/backend-endpoints.ts';
import { listenerRoutes } from '../../policy/gateway/gateway-routes.ts';
import { provesCallers, readListener } from '../../policy/gateway/read-listener.ts';
import { trustedDomains } from '../../policy/gateway/trusted-domains.ts';
import type { Inbound, Proxy } from '../../policy/match/read-proxy.ts';
import { readable } from '../../resource/readable-text.ts';
import type { Resource } from '../../resource/resource.ts';
import type { MeshView } from '../mesh/mesh-view.ts';
import type { GatewayRules } from './proxy-rules.ts';

/** Of a zone's Dataplanes: made when a gateway asks, and kept while they are the same. */
const known = new WeakMap<readonly Resource[], { readonly view: MeshView; readonly endpoints: BackendEndpoints }>();

function endpointsIn(view: MeshView, zone: string): BackendEndpoints {
  const found = known.get(view.dataplanes);
  if (found && found.view.index === view.index) return found.endpoints;
  const endpoints = new BackendEndpoints(view.dataplanes, zone, view.index);
  known.set(view.dataplanes, { view, endpoints });
  return endpoints;
}

/** What a gateway's listener has beside its rules; undefined: it is none, or is not served. */
export function atGateway(view: MeshView, proxy: Proxy, inbound: Inbound): GatewayRules | undefined {
  const read = inbound.listener && readListener(inbound.listener);
  if (!read || 'problem' in read) return undefined;
  const { mesh, zone } = proxy.dataplane.key;
  const { domains, problems: untrusted } = provesCallers(read) ? trustedDomains(mesh, zone, view.trusts) : NOBODY;
  const { hosts, problems } = listenerRoutes(proxy, inbound, read, view.index, endpointsIn(view, zone));
  return { trusted: domains, hosts, warnings: [...new Set([...untrusted, ...problems])].map(readable) };
}

const NOBODY = { domains: [], problems: [] };
