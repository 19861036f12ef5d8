import type { JsonObject } from '../../resource/resource.ts';
import { type InboundInput, isHttp, namesOf } from './inbound-input.ts';
import { typeUrl } from '../wire/resource-types.ts';

const NETWORK = typeUrl('envoy.extensions.filters.network.rbac.v3.RBAC');
const HTTP = typeUrl('envoy.extensions.filters.http.rbac.v3.RBAC');
const PER_ROUTE = typeUrl('envoy.extensions.filters.http.rbac.v3.RBACPerRoute');

/** The proxy's own stream to this server. */
export const FROM_XDS: JsonObject = { ads: {}, resourceApiVersion: 'V3' };

/** Without rules Envoy's filter denies; without the field that holds them it allows. */
export function closed(rbac: JsonObject): JsonObject {
  return rbac.rules === undefined && rbac.matcher === undefined ? { ...rbac, rules: {} } : rbac;
}

function networkRbac(inbound: InboundInput): JsonObject {
  const rbac = closed(inbound.rbac.network ?? {});
  return { '@type': NETWORK, ...rbac, statPrefix: rbac.statPrefix || namesOf(inbound).rbac };
}

/** The RBAC filter that an inbound is to have, as `typed_config`. */
function rbacOf(inbound: InboundInput): JsonObject {
  return isHttp(inbound) ? { '@type': HTTP, ...closed(inbound.rbac.http ?? {}) } : networkRbac(inbound);
}

/** The RBAC alone, for the extension discovery of our own HTTP listeners and of other people's listeners. */
export function rbacExtension(inbound: InboundInput): JsonObject {
  const name = namesOf(inbound).rbac;
  const rbac = isHttp(inbound) ? inbound.rbac.http : inbound.rbac.network;
  const make = () => ({ name, typedConfig: rbacOf(inbound) });
  return rbac ? madeOnce(rbac, `${isHttp(inbound) ? 'http' : 'tcp'} ${name}`, make) : make();
}

const made = new WeakMap<object, Map<string, JsonObject>>();

/**
 * What is made of something that never changes: one object for all proxies that have it, so that it is encoded once.
 */
export function madeOnce(of: object, name: string, make: () => JsonObject): JsonObject {
  const known = made.get(of) ?? new Map<string, JsonObject>();
  made.set(of, known);
  const one = known.get(name) ?? make();
  known.set(name, one);
  return one;
}

/**
 * On TCP the RBAC is part of the listener: an open connection keeps the filter that it began with, and only a changed
 * listener makes Envoy drain it, within `--drain-time-s`.
 */
export function networkRbacFilter(inbound: InboundInput): JsonObject {
  return { name: namesOf(inbound).rbac, typedConfig: networkRbac(inbound) };
}

/**
 * On HTTP it is discovered: a change holds at once, on open connections too, and no connection is drained for it. Until
 * it comes: deny.
 */
export function httpRbacFilter(inbound: InboundInput): JsonObject {
  return {
    name: namesOf(inbound).rbac,
    configDiscovery: { configSource: FROM_XDS, defaultConfig: { '@type': HTTP, rules: {} }, typeUrls: [HTTP] },
  };
}

/** `typed_per_filter_config` of a route with an RBAC of its own. */
export function perRoute(inbound: InboundInput, rbac: JsonObject): JsonObject {
  const { '@type': _, ...config } = closed(rbac);
  return { [namesOf(inbound).rbac]: { '@type': PER_ROUTE, rbac: config } };
}
