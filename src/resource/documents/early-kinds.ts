import { findKind } from '../kinds.ts';
import { isObject } from '../field-path.ts';
import type { JsonObject } from '../resource.ts';

/**
 * The kinds of the early form (docs/design/matching.md#the-early-form) by the names of its examples, and what they are
 * called today.
 */
export const EARLY_TYPES: Readonly<Record<string, string>> = {
  UpstreamTimeout: 'MeshTimeout',
  MeshUpstreamTimeout: 'MeshTimeout',
  ProxyTemplate: 'MeshProxyPatch',
  MeshEnvoyTemplate: 'MeshProxyPatch',
  TrafficLog: 'MeshAccessLog',
  MeshLogging: 'MeshAccessLog',
  TrafficPermission: 'MeshTrafficPermission',
  CircuitBreaker: 'MeshCircuitBreaker',
  HealthCheck: 'MeshHealthCheck',
  FaultInjection: 'MeshFaultInjection',
  MeshHTTPFault: 'MeshFaultInjection',
  Retry: 'MeshRetry',
  MeshRequestRetry: 'MeshRetry',
  Timeout: 'MeshTimeout',
  RateLimit: 'MeshRateLimit',
  TrafficTrace: 'MeshTrace',
  MeshTracing: 'MeshTrace',
  MeshMetrics: 'MeshMetric',
};

/**
 * Where a document says that it is a policy in the early form: only `conf` does
 * (docs/design/matching.md#the-early-form). undefined for what `meridianctl convert` can't read, which nobody should be
 * sent there with: another kind, and Kuma's policies with `sources` and `destinations`, which have a `conf` too.
 */
export function earlyField(type: string, value: JsonObject): string | undefined {
  if (!Object.hasOwn(EARLY_TYPES, type) && !findKind(type)?.policy) return undefined;
  const body = value.conf === undefined ? value.spec : value;
  if (!isObject(body) || !isObject(body.conf) || [value, body].some(isOlder)) return undefined;
  return value.conf === undefined ? 'spec.conf' : 'conf';
}

/** A policy of Kuma from before targetRef. */
function isOlder(body: JsonObject): boolean {
  return ['sources', 'destinations', 'selectors'].some((field) => body[field] !== undefined);
}
