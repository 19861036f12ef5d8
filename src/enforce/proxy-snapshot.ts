import { posix } from 'node:path';
import type { InboundRules, ProxyRules } from '../control/enforce/proxy-rules.ts';
import { type GeneratedSnapshot, generate } from '../xds/envoy/generate-snapshot.ts';
import { type Certificates, type InboundInput, isHttp, type ZoneAsk } from '../xds/envoy/inbound-input.ts';
import { gatewayPorts } from './gateway-ports.ts';
import type { ProxyId } from '../xds/server/proxy-id.ts';

/**
 * What a proxy's rules are as resources of Envoy. `folder`: where the proxies' machines keep their certificates.
 * `askOf`: as whom its listeners ask about calls; it is asked for where they do.
 */
export function snapshotFor(
  proxy: ProxyId,
  { inbounds }: ProxyRules,
  folder: string,
  askOf: (proxy: ProxyId) => ZoneAsk,
): GeneratedSnapshot {
  const certificates = certificatesOf(folder, proxy);
  const [own, gateways] = [inbounds.filter(({ gateway }) => !gateway), inbounds.filter(({ gateway }) => gateway)];
  const ports = gatewayPorts(gateways, certificates);
  const snapshot = generate({ inbounds: own.map((inbound) => toInbound(inbound, () => askOf(proxy))), ports, certificates });
  const shut = gateways.flatMap(({ name, shut: reason }) => (reason === undefined ? [] : [{ inbound: name, reason }]));
  return { ...snapshot, shut: [...snapshot.shut, ...shut] };
}

function toInbound({ rbac, routes, asked, ...place }: InboundRules, askAs: () => ZoneAsk): InboundInput {
  const common = { ...place, asks: asked && askAs() };
  return isHttp(common) ? { ...common, rbac: { http: rbac }, routes } : { ...common, rbac: { network: rbac } };
}

/** On the proxy's machine, which need not be this one. */
function certificatesOf(folder: string, { mesh, name }: ProxyId): Certificates {
  const file = (called: string) => posix.join(folder, mesh, name, called);
  return { ca: file('ca.pem'), cert: file('cert.pem'), key: file('key.pem') };
}
