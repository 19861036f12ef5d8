import { siteWarnings } from '../access/known-sites.ts';
import { diverged } from '../peers/divergence.ts';
import { hasFirstScan } from '../peers/first-scan-state.ts';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import { isGlobal, type Plane } from '../plane/plane.ts';
import type { PeerView } from '../peers/peer-view.ts';
import type { Sync } from '../sync/sync.ts';

/** What /ready says (docs/design/trust.md#restored-stores): `reasons` make it not ready, `warnings` do not. */
export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Whether a control plane works as it should. A zone keeps working while NATS or global is away: that is only a
 * warning. `sync` is undefined for a zone that stands alone. `away`: why NATS is away; undefined: it is not.
 */
export function readiness(
  plane: Plane,
  sync: Pick<Sync, 'view' | 'ended' | 'peers' | 'stranger'> | undefined,
  away: string | undefined,
): Readiness {
  const reasons = [...ownReasons(plane, sync), ...(sync && !isGlobal(plane.place) ? zoneReasons(plane, sync) : [])];
  const warnings = sync ? peerWarnings(plane, sync, away) : ['there is no NATS: nothing is exchanged with other control planes'];
  return { ready: reasons.length === 0, reasons, warnings: [...warnings, ...siteWarnings(plane)] };
}

function ownReasons({ store }: Plane, sync: Pick<Sync, 'ended'> | undefined): string[] {
  const restored = diverged(store);
  const ended = sync?.ended();
  return [
    ...(restored === undefined ? [] : [`diverged: this store was restored from a backup: ${restored}; run meridianctl recover`]),
    ...(ended === undefined ? [] : [`superseded: ${ended}`]),
  ];
}

function zoneReasons({ store }: Plane, sync: Pick<Sync, 'view'>): string[] {
  const { stopped } = sync.view(GLOBAL_PEER);
  const scanned = hasFirstScan(store) ? [] : ['the first scan of what global has is not complete: until then everything is denied'];
  // If global was restored, this zone still works: its policies stay in force.
  const closed = stopped && stopped.code !== 'diverged' ? [`${stopped.code}: ${stopped.message}`] : [];
  return [...scanned, ...closed];
}

function peerWarnings(plane: Plane, sync: Pick<Sync, 'view' | 'peers' | 'stranger'>, away: string | undefined): string[] {
  if (away !== undefined) return [`NATS is away: ${away}`];
  const peers = sync.peers().flatMap((peer) => warningsOf(plane, peer, sync.view(peer)));
  const stranger = sync.stranger();
  if (stranger === undefined) return peers;
  return [`store ${stranger} speaks as global too: each zone goes on with the store that it pinned; stop one of the two`, ...peers];
}

/** Pulls that fail in a row before it is a warning: after a start or a lost message one may. */
const FAILED = 2;

function warningsOf(plane: Plane, peer: string, view: PeerView): string[] {
  const name = isGlobal(plane.place) ? `zone ${peer}` : 'global';
  const { online, failures, unsent } = view;
  const silent = online && failures >= FAILED ? [`${name}: ${failures} requests in a row for what it has were not answered`] : [];
  return [...exchangeWarnings(plane, name, view), ...silent, ...(unsent === undefined ? [] : [`${name}: ${unsent}`])];
}

function exchangeWarnings({ place }: Plane, name: string, { online, stopped, stranger, ack, notTaken }: PeerView): string[] {
  const refused = [
    ...(stranger ? [`${name}: ${stranger.message}; it is refused`] : []),
    ...(notTaken === undefined ? [] : [`${name}: nothing of what it sends is taken: ${notTaken}`]),
    ...(ack?.notTaken === undefined ? [] : [`${name} takes nothing of what is sent to it: ${ack.notTaken}`]),
  ];
  if (isGlobal(place)) return stopped ? [`${name}: ${stopped.code}: ${stopped.message}`] : refused;
  if (stopped?.code === 'diverged') return [`global was restored from a backup and waits for meridianctl recover: ${stopped.message}`];
  return online ? refused : ['global is away: this zone works on with what it has'];
}
