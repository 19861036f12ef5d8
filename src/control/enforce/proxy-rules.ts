import type { TrustedDomain } from '../../policy/gateway/trusted-domains.ts';
import type { RoutedHost } from '../../policy/gateway/gateway-routes.ts';
import type { JsonObject } from '../../resource/resource.ts';
import type { Key } from '../../resource/key.ts';
import type { ListenAddress } from '../mesh/listen-address.ts';

/** What one proxy is to enforce: plain data. The same object as before when nothing of it changed. */
export interface ProxyRules {
  readonly inbounds: readonly InboundRules[];
  /** Why some of the Dataplane is not served, or shut: nobody gets in there. */
  readonly problems: readonly string[];
  /** What an operator should know of what is. */
  readonly warnings: readonly string[];
}

export interface InboundRules extends ListenAddress {
  /**
   * Proto3 JSON of Envoy's RBAC filter, with its `@type`: of HTTP or of the network, by the protocol. The whole
   * decision.
   */
  readonly rbac: JsonObject;
  /** Whether plain text is taken too, past all rules. */
  readonly plaintextToo: boolean;
  /** On HTTP: the whole decision of requests with this RouteMatch, in this order, in place of `rbac`. */
  readonly routes: readonly { readonly match: JsonObject; readonly rbac: JsonObject }[];
  /** Of a gateway's listener. */
  readonly served?: GatewayRules;
  /**
   * Where access policies say who may enter, the zone is asked about callers of other zones: these are the MeshServices
   * that they may be let in to. undefined: it is asked about nobody.
   */
  readonly asked?: readonly Key[];
  /**
   * Why nobody gets in, whatever the policies say. Then `rbac` denies everybody, and there are no routes and no plain
   * text.
   */
  readonly shut?: string;
}

/** What a gateway's listener has beside its rules. */
export interface GatewayRules {
  /** Of a cross-mesh listener: the trust domains whose callers get as far as the rules. */
  readonly trusted: readonly TrustedDomain[];
  readonly hosts: readonly RoutedHost[];
  /** What of trust and routes is not as it is written. */
  readonly warnings: readonly string[];
}
