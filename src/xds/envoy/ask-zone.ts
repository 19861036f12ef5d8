import { ASKS_ZONE } from '../../policy/rbac/envoy-matchers.ts';
import type { JsonObject } from '../../resource/resource.ts';
import { XDS_CLUSTER } from './bootstrap.ts';
import { type InboundInput, namesOf, type ZoneAsk } from './inbound-input.ts';
import { typeUrl } from '../wire/resource-types.ts';

/**
 * How an inbound asks its zone about callers of other zones (docs/design/attributes.md#ext_authz). Three things that
 * stand in one listener, so that none is there without the others:
 *
 *   the mark     said of each connection, before the rules: without it the rules let no caller of another zone go on
 *   the rules    end with: who is of another zone goes on, to be asked about (`isAskedAbout`)
 *   ext_authz    behind them, asks about everybody, but for those of whom it is known that the rules decided about them
 *
 * Who takes the rules alone for listeners of their own has no mark, and so denies them.
 */

/** The header with a call's token. The application never sees it. */
export const TOKEN_HEADER = 'x-meridian-access-token';
/** What the zone is told by headers of gRPC: of which proxy, at which inbound. */
export const ASK_HEADERS = { node: 'x-meridian-node', inbound: 'x-meridian-inbound' } as const;

const MARK: JsonObject = {
  objectKey: ASKS_ZONE.key,
  factoryKey: 'envoy.string',
  formatString: { textFormatSource: { inlineString: ASKS_ZONE.value } },
};
/** What the rules decided by, as HTTP's RBAC says it of each request. Policies are named by their KRI. */
const BY_POLICY = decided('envoy.filters.http.rbac', 'enforced_effective_policy_id', { prefix: 'kri_' });
/** The network's says it of shadow rules alone: hence some that mean the callers of the zone. */
const AT_HOME = 'home';
const BY_HOME = decided('envoy.filters.network.rbac', `${AT_HOME}_shadow_effective_policy_id`, { exact: AT_HOME });
/** The zone answers from its memory. */
const TIMEOUT = '1s';
const API_V3 = 2;

export function markFilter(): JsonObject {
  const name = 'envoy.filters.network.set_filter_state';
  return {
    name,
    typedConfig: { '@type': typeUrl('envoy.extensions.filters.network.set_filter_state.v3.Config'), onNewConnection: [MARK] },
  };
}

export function httpAskFilter(inbound: InboundInput, ask: ZoneAsk): JsonObject {
  return {
    name: 'envoy.filters.http.ext_authz',
    typedConfig: {
      '@type': typeUrl('envoy.extensions.filters.http.ext_authz.v3.ExtAuthz'),
      ...common(inbound, ask, BY_POLICY),
      // What else the request holds is no business of the zone's.
      allowedHeaders: { patterns: [{ exact: TOKEN_HEADER }] },
    },
  };
}

/** On TCP, before the rules: says of a connection that its caller is of the zone. It lets everybody pass. */
export function homeFilter({ home }: ZoneAsk): JsonObject {
  const sanMatcher = { sanType: 'URI', matcher: { prefix: `${home}/` } };
  const isOfHome = {
    name: 'envoy.rbac.principals.mtls_authenticated',
    typedConfig: { '@type': typeUrl('envoy.extensions.rbac.principals.mtls_authenticated.v3.Config'), sanMatcher },
  };
  const policies = { [AT_HOME]: { permissions: [{ any: true }], principals: [{ custom: isOfHome }] } };
  return {
    name: 'callers-home',
    typedConfig: {
      '@type': typeUrl('envoy.extensions.filters.network.rbac.v3.RBAC'),
      statPrefix: 'callers-home.',
      shadowRules: { action: 'ALLOW', policies },
      shadowRulesStatPrefix: `${AT_HOME}_`,
    },
  };
}

/** On TCP the token is the first label of the server name that the caller asks TLS for. */
export function tcpAskFilter(inbound: InboundInput, ask: ZoneAsk): JsonObject {
  return {
    name: 'envoy.filters.network.ext_authz',
    typedConfig: {
      '@type': typeUrl('envoy.extensions.filters.network.ext_authz.v3.ExtAuthz'),
      ...common(inbound, ask, BY_HOME),
      includeTlsSession: true,
    },
  };
}

/** Turned round, so that it is asked too where nothing is known. */
function decided(filter: string, key: string, value: JsonObject): JsonObject {
  return { filter, path: [{ key }], value: { stringMatch: value }, invert: true };
}

function common(inbound: InboundInput, { node, proof }: ZoneAsk, unless: JsonObject): JsonObject {
  const initialMetadata = [
    { key: ASK_HEADERS.node, value: node },
    { key: ASK_HEADERS.inbound, value: inbound.name },
    { key: 'authorization', value: `Bearer ${proof}` },
  ];
  return {
    statPrefix: namesOf(inbound).stats,
    grpcService: { envoyGrpc: { clusterName: XDS_CLUSTER }, timeout: TIMEOUT, initialMetadata },
    transportApiVersion: API_V3,
    failureModeAllow: false,
    filterEnabledMetadata: unless,
  };
}
