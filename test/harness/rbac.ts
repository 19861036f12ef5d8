import type { JsonObject } from '../../src/resource/resource.ts';

const TYPE = 'type.googleapis.com/';

/**
 * An RBAC, written by hand, that allows callers with this one URI SAN and nobody else. For the network filter and for
 * HTTP.
 */
export function allowOnly(spiffeId: string): JsonObject {
  const input = { name: 'uri-san', typedConfig: { '@type': `${TYPE}envoy.extensions.matching.common_inputs.ssl.v3.UriSanInput` } };
  const exactMatchMap = { map: { [spiffeId]: action('ALLOW') } };
  return { matcher: { matcherTree: { input, exactMatchMap }, onNoMatch: action('DENY') } };
}

function action(verdict: 'ALLOW' | 'DENY'): JsonObject {
  const typedConfig = { '@type': `${TYPE}envoy.config.rbac.v3.Action`, name: verdict, action: verdict };
  return { action: { name: 'action', typedConfig } };
}
