import { asArray, asObject, asText } from '../../naming/json.ts';
import { SERVICE_TAG } from '../../policy/match/proxy-tags.ts';
import type { JsonObject, JsonValue, Resource } from '../../resource/resource.ts';
import { keyId } from '../../resource/key.ts';
import type { Reader } from '../../resource/store/store.ts';

/** How well a proxy, or what is made of several, works. */
export type OnlineStatus = 'online' | 'offline' | 'partiallyDegraded';

/** What kind of proxy a Dataplane is. */
export type ProxyKind = 'standard' | 'gatewayBuiltin' | 'gatewayDelegated';

/** A Dataplane, as far as insights count it. */
export interface CountedProxy {
  readonly mesh: string;
  readonly zone: string;
  readonly kind: ProxyKind;
  readonly status: OnlineStatus;
  /** Of its Envoy, if it ever connected. */
  readonly envoy: string;
  /** The services that it is of, by the tag of its inbounds. */
  readonly services: readonly string[];
}

const UNKNOWN = 'unknown';

/**
 * Every Dataplane of the store, or those of one mesh. A proxy that never connected, or whose stream ended, is offline.
 */
export function countedIn(store: Reader, mesh?: string): CountedProxy[] {
  const insights = new Map([...store.each('DataplaneInsight')].map(({ resource }) => [keyId(resource.key), resource.spec]));
  const all = [...store.each('Dataplane')].map(({ resource }) => resource).filter(({ key }) => mesh === undefined || key.mesh === mesh);
  return all.map((dataplane) => counted(dataplane, insights.get(keyId({ ...dataplane.key, type: 'DataplaneInsight' }))));
}

function counted(dataplane: Resource, insight: JsonObject | undefined): CountedProxy {
  const { key, spec } = dataplane;
  const networking = asObject(spec.networking) ?? {};
  const gateway = asObject(networking.gateway);
  const inbounds = asArray(networking.inbound).map((inbound) => asObject(inbound) ?? {});
  const last = asObject(asArray(insight?.subscriptions).at(-1));
  return {
    mesh: key.mesh,
    zone: key.zone,
    kind: gateway ? (gateway.type === 'BUILTIN' ? 'gatewayBuiltin' : 'gatewayDelegated') : 'standard',
    status: isConnected(last) ? statusOf(inbounds.filter(isReady).length, inbounds.length) : 'offline',
    envoy: asText(asObject(asObject(last?.version)?.envoy)?.version) ?? UNKNOWN,
    services: servicesOfProxy(dataplane),
  };
}

/** The services that a proxy is of, by the tag of its inbounds, or of its gateway. */
export function servicesOfProxy({ spec }: Resource): string[] {
  const networking = asObject(spec.networking) ?? {};
  const gateway = asObject(networking.gateway);
  const sides = gateway ? [gateway] : asArray(networking.inbound).map((inbound) => asObject(inbound) ?? {});
  return [...new Set(sides.flatMap((side) => asText(asObject(side.tags)?.[SERVICE_TAG]) ?? []))];
}

function isConnected(subscription: JsonObject | undefined): boolean {
  return subscription?.connectTime !== undefined && subscription.disconnectTime === undefined;
}

function isReady({ state, health }: Readonly<Record<string, JsonValue | undefined>>): boolean {
  return state !== 'NotReady' && asObject(health)?.ready !== false;
}

/** `all` are online, or none, or some. */
export function statusOf(online: number, all: number): OnlineStatus {
  if (online === all) return 'online';
  return online === 0 ? 'offline' : 'partiallyDegraded';
}

/** How many there are, and how many of each status. */
export interface OnlineCounts {
  readonly total: number;
  readonly online: number;
  readonly offline: number;
  readonly partiallyDegraded: number;
}

export function tallyOf(counted: readonly { readonly status: OnlineStatus }[]): OnlineCounts {
  const of = (wanted: OnlineStatus): number => counted.filter(({ status }) => status === wanted).length;
  return { total: counted.length, online: of('online'), offline: of('offline'), partiallyDegraded: of('partiallyDegraded') };
}

/** As insights of one mesh or service have it: without what is nought. */
export function sparse(tally: OnlineCounts): Partial<OnlineCounts> {
  return Object.fromEntries(Object.entries(tally).filter(([, count]) => count > 0));
}

/** Lists by a key that each item has. */
export function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
