import type { JsonObject } from '../../resource/resource.ts';

const PREFIX = 'type.googleapis.com/';

/** The full type URL of a message of Envoy's API. */
export function typeUrl(message: string): string {
  return PREFIX + message;
}

/** The message's name in a type URL; '' when it is not one. */
export function messageName(url: string): string {
  return url.startsWith(PREFIX) ? url.slice(PREFIX.length) : '';
}

/**
 * What a proxy is sent, by the kind's name in a snapshot. In this order on one stream: what is referred to before what
 * refers to it.
 */
export const TYPE_URLS = {
  clusters: typeUrl('envoy.config.cluster.v3.Cluster'),
  secrets: typeUrl('envoy.extensions.transport_sockets.tls.v3.Secret'),
  extensions: typeUrl('envoy.config.core.v3.TypedExtensionConfig'),
  listeners: typeUrl('envoy.config.listener.v3.Listener'),
  routes: typeUrl('envoy.config.route.v3.RouteConfiguration'),
} as const;

export type ResourceType = keyof typeof TYPE_URLS;

export const RESOURCE_TYPES = Object.keys(TYPE_URLS) as readonly ResourceType[];

/** All that one proxy is to have: proto3 JSON of each kind's message, each with a `name` of its own. */
export type Snapshot = Readonly<Record<ResourceType, readonly JsonObject[]>>;

export const EMPTY: Snapshot = { clusters: [], secrets: [], extensions: [], listeners: [], routes: [] };
