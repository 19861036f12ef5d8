import type { RoutedRule } from '../../policy/gateway/gateway-routes.ts';
import { canonicalAddress } from '../../resource/ip-address.ts';
import type { JsonObject } from '../../resource/resource.ts';
import type { Certificates } from '../envoy/inbound-input.ts';

/** A port of a gateway, as one listener of Envoy: plain data. */
export interface GatewayPort {
  /** An IP address. */
  readonly address: string;
  readonly port: number;
  readonly entry: PortEntry;
  /** Of other hosts every request is denied. */
  readonly hosts: readonly GatewayHost[];
  /** With which it calls those that it sends requests on to, and checks them. */
  readonly certificates: Certificates;
}

/**
 * How callers come in: in plain text; over TLS with these PEM files, each a key with its certificate chain; or over
 * mutual TLS.
 */
export type PortEntry =
  | { readonly kind: 'plain' }
  | { readonly kind: 'own'; readonly files: readonly string[] }
  | { readonly kind: 'mesh'; readonly trusted: readonly TrustBundle[] };

/** Who signs for the SPIFFE IDs of one trust domain: a PEM file on the proxy's machine, or the certificates. */
export type TrustBundle = { readonly domain: string } & ({ readonly file: string } | { readonly pem: string });

/** What requests for some hosts come to. */
export interface GatewayHost {
  /** `*` for all, `*.` before the end of some. No two of a port have one. */
  readonly hostname: string;
  /** Proto3 JSON of Envoy's HTTP RBAC filter: the whole decision. Without `rules` or `matcher` all is denied. */
  readonly rbac: JsonObject;
  /** Everybody is let in, and `rbac` is not asked: callers prove nothing, and an operator said so. */
  readonly anybody: boolean;
  /** The first that matches counts; what none matches is answered with 404. */
  readonly rules: readonly RoutedRule[];
}

/** Names of what is made for a port. A listener is called by its socket, as those of inbounds are. */
export function portNames({ address, port }: Pick<GatewayPort, 'address' | 'port'>) {
  const canonical = canonicalAddress(address) ?? address;
  const socket = `${canonical.includes(':') ? `[${canonical}]` : canonical}:${port}`;
  return { listener: `inbound:${socket}`, routes: `gateway:${socket}`, stats: `gateway:${port}` };
}
