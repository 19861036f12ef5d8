import { canonicalAddress } from '../../resource/ip-address.ts';
import type { JsonObject } from '../../resource/resource.ts';

/** All that the listeners of one proxy are made from: plain data. */
export interface ProxyInput {
  readonly inbounds: readonly InboundInput[];
  readonly certificates: Certificates;
}

/**
 * PEM files on the proxy's machine: the CAs that callers' certificates are checked with, the proxy's own certificate
 * with its chain, and the key. Envoy reads them again when a file is moved into a folder of theirs.
 */
export interface Certificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface InboundInput {
  /** Of its own within the proxy. */
  readonly name: string;
  /** Where callers come in: an IP address. */
  readonly address: string;
  readonly port: number;
  /** Where the application listens: an IP address, 127.0.0.1 if not said. */
  readonly serviceAddress?: string | undefined;
  readonly servicePort: number;
  readonly protocol: 'tcp' | 'http' | 'http2' | 'grpc';
  /**
   * Proto3 JSON of Envoy's network RBAC filter (used on TCP) and HTTP RBAC filter (on the others), with or without
   * `@type`. Where one is missing, or says neither `rules` nor `matcher`, everything is denied.
   */
  readonly rbac: { readonly network?: JsonObject | undefined; readonly http?: JsonObject | undefined };
  /**
   * Routes with an RBAC of their own, which stands in place of the inbound's; the first that matches counts. HTTP only.
   */
  readonly routes?: readonly InboundRoute[] | undefined;
  /** Plain text is let in too, without RBAC: it proves nobody's identity. */
  readonly plaintextToo: boolean;
  /** How it asks the zone about callers whom its rules leave to it; undefined: they leave none. */
  readonly asks?: ZoneAsk | undefined;
  /** Why it lets nobody in, if that is for another reason than its rules. */
  readonly shut?: string | undefined;
}

/** How an inbound asks its zone about callers (src/xds/envoy/ask-zone.ts). */
export interface ZoneAsk {
  /** The proxy's node id. */
  readonly node: string;
  /** That the zone itself gave it this listener. */
  readonly proof: string;
  /** The trust domain of the zone: about its own callers the rules decide. */
  readonly home: string;
}

/** An inbound that lets nobody in, because it can't be built. */
export interface UnbuiltInbound {
  /** Its name. */
  readonly inbound: string;
  readonly reason: string;
}

export interface InboundRoute {
  /** Proto3 JSON of `envoy.config.route.v3.RouteMatch`. */
  readonly match: JsonObject;
  /** Proto3 JSON of the HTTP RBAC filter: the whole decision for this route. */
  readonly rbac: JsonObject;
}

const IS_HTTP: Readonly<Record<InboundInput['protocol'], boolean>> = { tcp: false, http: true, http2: true, grpc: true };

export function isHttp({ protocol }: Pick<InboundInput, 'protocol'>): boolean {
  return IS_HTTP[protocol];
}

/**
 * Names of what is made for an inbound. That of its RBAC is what people with listeners of their own ask for. A listener
 * is called by its socket: so inbounds may change their names or ports with one another, where Envoy would refuse a
 * listener whose socket another one still has, and keep the old.
 */
export const namesOf = ({ name, address, port }: InboundInput) => ({
  listener: `inbound:${hostOf(address)}:${port}`,
  stats: `inbound:${name}`,
  routes: `inbound:${name}`,
  cluster: `local:${name}`,
  rbac: `rbac:${name}`,
});

function hostOf(address: string): string {
  const canonical = canonicalAddress(address) ?? address;
  return canonical.includes(':') ? `[${canonical}]` : canonical;
}
