import type { JsonObject } from '../../resource/resource.ts';
import { httpAskFilter, TOKEN_HEADER } from './ask-zone.ts';
import { type InboundInput, type InboundRoute, namesOf } from './inbound-input.ts';
import { FROM_XDS, httpRbacFilter, madeOnce, perRoute } from './rbac-filters.ts';
import { typeUrl } from '../wire/resource-types.ts';

/**
 * The HTTP filters of an inbound. Paths are made plain before the rules see them, and what can be read in two ways is
 * refused with 400, because the application might read it in the other: escaped slashes, header names with "_" (beside
 * "-").
 */
export function httpManager(inbound: InboundInput, enforced: boolean): JsonObject {
  const { asks } = inbound;
  const decide = [httpRbacFilter(inbound), ...(asks ? [httpAskFilter(inbound, asks)] : [])];
  const router = { name: 'envoy.filters.http.router', typedConfig: { '@type': typeUrl('envoy.extensions.filters.http.router.v3.Router') } };
  return {
    name: 'envoy.filters.network.http_connection_manager',
    typedConfig: {
      '@type': typeUrl('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'),
      statPrefix: namesOf(inbound).stats,
      rds: { routeConfigName: namesOf(inbound).routes, configSource: FROM_XDS },
      httpFilters: enforced ? [...decide, router] : [router],
      ...READ_ONE_WAY,
    },
  };
}

/** Paths and headers in one spelling only, before the rules see them. */
export const READ_ONE_WAY: JsonObject = {
  normalizePath: true,
  mergeSlashes: true,
  pathWithEscapedSlashesAction: 'REJECT_REQUEST',
  commonHttpProtocolOptions: { headersWithUnderscoresAction: 'REJECT_REQUEST' },
};

/**
 * Some applications drop what follows ";" in a segment: `/admin;x` would be `/admin` to them, and not to the rules.
 * Some do so with `%3b` too.
 */
export const AMBIGUOUS: JsonObject = {
  match: { safeRegex: { regex: '.*(;|%3[Bb]).*' } },
  directResponse: { status: 400, body: { inlineString: 'a path with ";" is refused: applications read it in different ways\n' } },
};

/** With these some applications take another method or path than that of the request, which is what the rules see. */
export const OVERRIDES = ['x-http-method-override', 'x-http-method', 'x-method-override', 'x-original-url', 'x-rewrite-url'];

/**
 * All of an inbound's routes lead to the application. They are discovered, not part of the listener, so that the RBAC
 * of a route changes on open connections too.
 */
export function routesOf(inbound: InboundInput): JsonObject {
  const make = () => makeRoutes(inbound);
  return inbound.routes ? madeOnce(inbound.routes, inbound.name, make) : make();
}

function makeRoutes(inbound: InboundInput): JsonObject {
  const { routes, cluster } = namesOf(inbound);
  // Timeouts are the caller's business: Envoy's own of 15 seconds would cut streams off.
  const route = { cluster, timeout: '0s' };
  const own = ({ match, rbac }: InboundRoute): JsonObject => ({ match, route, typedPerFilterConfig: perRoute(inbound, rbac) });
  const all = [AMBIGUOUS, ...(inbound.routes ?? []).map(own), { match: { prefix: '/' }, route }];
  return {
    name: routes,
    virtualHosts: [{ name: routes, domains: ['*'], routes: all }],
    requestHeadersToRemove: [...OVERRIDES, TOKEN_HEADER],
  };
}
