import { readableUpTo } from '../../resource/readable-text.ts';
import type { ShutInbound } from '../mesh/listen-address.ts';

/** How a zone's proxy stands with what it is to enforce. Times are RFC 3339. */
export interface ProxyStatus {
  readonly mesh: string;
  /** As in the REST API. */
  readonly name: string;
  /** Its streams; when there is none now, the last one. */
  readonly streams: readonly StreamStatus[];
  /** Why what it should have can't be made: it keeps what it has. */
  readonly problem?: DatedReason | undefined;
  /** Why it was turned away. */
  readonly refused?: DatedReason | undefined;
  /** What of its Dataplane can't be served, or is shut: nobody gets in there. */
  readonly notServed: readonly string[];
  /** Its inbounds that let nobody in, whatever the policies say, since they can't be built. */
  readonly shut: readonly ShutInbound[];
  readonly warnings: readonly string[];
}

interface StreamStatus {
  readonly connected: boolean;
  readonly envoyVersion: string;
  readonly since: string;
  readonly until?: string | undefined;
  readonly types: readonly SubscriptionStatus[];
}

interface SubscriptionStatus {
  readonly typeUrl: string;
  /** How many resources it has, as far as it said. */
  readonly accepted: number;
  readonly waiting: boolean;
  /** What it does not take: the last good version stays in force. */
  readonly refused: readonly RefusedResource[];
  readonly responses: { readonly sent: number; readonly accepted: number; readonly refused: number };
}

interface RefusedResource {
  readonly name: string;
  readonly version: string;
  readonly message: string;
  readonly since: string;
  readonly attempts: number;
}

interface DatedReason {
  readonly reason: string;
  readonly since: string;
}

/** How many proxies are as they should be, for metrics and /ready. */
export interface ProxyCounts {
  readonly connected: number;
  readonly disconnected: number;
  /** Connected, and they took everything that they should have now. */
  readonly current: number;
  /** They keep rules that are not the latest. */
  readonly refusing: number;
  /** Of them something can't be served or made, or they are turned away. */
  readonly withProblems: number;
}

export function countProxies(proxies: readonly ProxyStatus[]): ProxyCounts {
  const count = (is: (proxy: ProxyStatus) => boolean): number => proxies.filter(is).length;
  const connected = count(isConnected);
  return {
    connected,
    disconnected: proxies.length - connected,
    current: count(isCurrent),
    refusing: count((proxy) => isConnected(proxy) && isRefusing(proxy)),
    withProblems: count(({ problem, refused, notServed }) => problem !== undefined || refused !== undefined || notServed.length > 0),
  };
}

function isConnected({ streams }: ProxyStatus): boolean {
  return streams.some(({ connected }) => connected);
}

function isCurrent({ streams, problem, refused }: ProxyStatus): boolean {
  const open = streams.filter(({ connected }) => connected);
  const isDone = open.every(({ types }) => types.length > 0 && types.every((type) => !type.waiting && type.refused.length === 0));
  return open.length > 0 && isDone && problem === undefined && refused === undefined;
}

function isRefusing({ streams }: ProxyStatus): boolean {
  return streams.some(({ types }) => types.some(({ refused }) => refused.length > 0));
}

/** What an operator should know of: where to look further. */
export function proxyWarnings(proxies: readonly ProxyStatus[]): string[] {
  const { refusing, withProblems } = countProxies(proxies);
  const shut = proxies.flatMap((proxy) => proxy.shut.map((one) => `${proxy.mesh}/${proxy.name} ${one.inbound}: ${one.reason}`));
  return [
    ...(refusing === 0 ? [] : [`of the proxies ${refusing} refuse an update and keep their last good rules: see /_proxies`]),
    ...(withProblems === 0 ? [] : [`of the proxies ${withProblems} can't be given all that they should have: see /_proxies`]),
    ...(shut.length === 0
      ? []
      : [readableUpTo(300, `${shut.length} inbounds let nobody in, since they can't be built: ${shut.join('; ')}`)]),
  ];
}
