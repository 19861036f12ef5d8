import type { VerdictCounts } from '../src/control/access/verdict-counts.ts';
import { countProxies, type ProxyStatus } from '../src/control/enforce/proxy-status.ts';
import { peersOf } from '../src/control/peers/known-peers.ts';
import { turns } from '../src/control/plane/long-turns.ts';
import type { Plane } from '../src/control/plane/plane.ts';
import type { Sync } from '../src/control/sync/sync.ts';
import type { NatsTransport } from '../src/nats/nats-transport.ts';
import { peerName } from '../src/resource/audience.ts';
import type { PeerSample, Sample } from '../src/runtime/metrics.ts';

/** What /metrics shows, read now. */
export function sampleOf(
  plane: Plane,
  sync: Sync | undefined,
  nats: NatsTransport | undefined,
  proxies: readonly ProxyStatus[] | undefined,
  verdicts: VerdictCounts,
): Omit<Sample, 'logLinesLost' | 'exchanged' | 'checked' | 'byPolicy'> {
  const { store } = plane;
  const counts = new Map<string, number>();
  for (const { type, count } of store.counts()) counts.set(type, (counts.get(type) ?? 0) + count);
  const peers = sync ? [...new Set([...peersOf(store), ...sync.peers()])] : [];
  return {
    revision: store.head().revision,
    resources: [...counts].map(([type, count]) => ({ type, count })),
    natsConnected: nats && nats.disconnectedReason() === undefined,
    peers: sync ? peers.map((peer) => samplePeer(plane, sync, peer)) : [],
    incidents: (sync?.incidents() ?? []).map(({ peer, ...incident }) => ({ ...incident, peer: peerName(peer) })),
    proxies: proxies && countProxies(proxies),
    turns: turns.longest(),
    verdicts: verdicts.read(),
  };
}

function samplePeer({ store, quota }: Plane, sync: Sync, peer: string): PeerSample {
  const { online, upToDate, failures } = sync.view(peer);
  const { mirror } = store;
  const [refused, refusedByType] = [mirror.refusalSum(peer).count, mirror.refusedByType(peer)];
  return { peer: peerName(peer), online, upToDate, failures, refused, refusedByType, held: quota && store.holding(peer) };
}
