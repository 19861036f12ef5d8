import { posix } from 'node:path';
import type { InboundRules } from '../control/enforce/proxy-rules.ts';
import type { TrustedDomain } from '../policy/gateway/trusted-domains.ts';
import type { ListenerSecurity } from '../policy/gateway/read-listener.ts';
import type { Certificates } from '../xds/envoy/inbound-input.ts';
import type { GatewayHost, GatewayPort, PortEntry, TrustBundle } from '../xds/gateway/gateway-input.ts';

/**
 * The listeners of a gateway by their ports. One that is shut is left out, so that requests for its hostname are
 * denied; a port where all are has no listener.
 */
export function gatewayPorts(rules: readonly InboundRules[], certificates: Certificates): GatewayPort[] {
  const open = rules.filter(({ gateway, shut }) => gateway !== undefined && shut === undefined);
  const ports = new Map<number, InboundRules[]>();
  for (const listener of open) ports.set(listener.port, [...(ports.get(listener.port) ?? []), listener]);
  return [...ports.values()].flatMap((listeners) => {
    const [first] = listeners;
    if (!first?.gateway) return [];
    const { address, port, gateway, served } = first;
    return [
      {
        address,
        port,
        entry: entryOf(gateway.security, served?.trusted ?? [], certificates),
        hosts: listeners.flatMap(toHosts),
        certificates,
      },
    ];
  });
}

/** One host for each that the listener's routes tell apart; all of them have its rules. */
function toHosts({ rbac, plaintextToo, served }: InboundRules): GatewayHost[] {
  return (served?.hosts ?? []).map(({ hostname, rules }) => ({ hostname, rbac, anybody: plaintextToo, rules }));
}

function entryOf(security: ListenerSecurity, trusted: readonly TrustedDomain[], certificates: Certificates): PortEntry {
  switch (security.kind) {
    case 'plain':
      return { kind: 'plain' };
    case 'own':
      return { kind: 'own', files: security.secrets.map((secret) => secretFile(certificates, secret)) };
    case 'mesh':
      return { kind: 'mesh', trusted: trusted.map((domain) => bundleOf(domain, certificates)) };
  }
}

/** Beside the proxy's own certificate: a key with its certificate chain, as Kuma's secrets have both. */
function secretFile({ cert }: Certificates, secret: string): string {
  return posix.join(posix.dirname(cert), 'secrets', `${secret}.pem`);
}

function bundleOf({ domain, bundle }: TrustedDomain, { ca }: Certificates): TrustBundle {
  return bundle === undefined ? { domain, file: ca } : { domain, pem: bundle };
}
