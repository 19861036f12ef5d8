import { provesCallers, readListener } from '../../policy/gateway/read-listener.ts';
import { trustedDomains } from '../../policy/gateway/trusted-domains.ts';
import type { Inbound, Proxy } from '../../policy/match/read-proxy.ts';
import type { MeshView } from '../mesh/mesh-view.ts';
import type { InboundRules } from './proxy-rules.ts';

/** What a gateway's listener has beside its rules; nothing for an inbound of a sidecar. */
export function atGateway({ trusts }: MeshView, { dataplane }: Proxy, { listener }: Inbound): Pick<InboundRules, 'trusted'> {
  const read = listener && readListener(listener);
  if (!read || 'problem' in read || !provesCallers(read)) return {};
  const { mesh, zone } = dataplane.key;
  return { trusted: trustedDomains(mesh, zone, trusts).domains };
}
