import { indexMesh } from '../../policy/match/mesh-index.ts';
import { readProxy } from '../../policy/match/read-proxy.ts';
import { declinedServices } from '../access/declined-services.ts';
import { zoneState } from '../peers/zone-state.ts';
import { diverged } from '../peers/divergence.ts';
import { GLOBAL_PEER, includes, peerName } from '../../resource/audience.ts';
import type { Key } from '../../resource/key.ts';
import { compareKeys, keyId } from '../../resource/key.ts';
import type { Reader, Row } from '../../resource/store/store.ts';
import { shutNotes } from '../mesh/listen-address.ts';
import { isGlobal, type Plane } from '../plane/plane.ts';
import { peersOf } from '../peers/known-peers.ts';
import { readReported } from '../peers/reported-refusals.ts';
import type { PeerView } from '../peers/peer-view.ts';

/** Where one resource stands at one peer. */
export interface LedgerEntry {
  readonly key: Key;
  /** The zone; `global` for a zone's own resources. */
  readonly peer: string;
  /**
   * `unverified`: the peer's mirror does not add up, its refusals are not here yet, or this store was restored: nothing
   * is known for sure.
   */
  readonly state: 'applied' | 'refused' | 'on its way' | 'unverified';
  /**
   * It was deleted, or is not for the peer any more: until the peer says that it has that too, it may hold it and
   * enforce it.
   */
  readonly deleted?: true | undefined;
  /**
   * Why it isn't; of a Dataplane that is, which of its inbounds let nobody in, since they can't be built; of a
   * MeshService, why no import takes it.
   */
  readonly reason?: string | undefined;
  /** RFC 3339, this side's clock, for show only: refused or on its way since. */
  readonly since?: string | undefined;
}

/**
 * The delivery ledger: the cursor plus the exceptions (docs/design/sync.md#ledger). One entry for each given row and
 * each peer that should have it.
 *
 *   peer acknowledged revision 7, refused {b}
 *   a changed in 5 -> applied;  b -> refused, and why;  c changed in 9 -> on its way
 *   d changed in 8 and back in 9 -> on its way, though all adds up again: the peer may have the d of 8 just now
 */
export function ledger(plane: Plane, rows: readonly Row[], view: (peer: string) => PeerView): readonly LedgerEntry[] {
  return peersOfLedger(plane).flatMap((peer) =>
    rows.filter((row) => includes(row.audience, row.resource.key, peer)).map(entryAt(plane, view(peer))),
  );
}

/** The peers that a ledger is about. */
export function peersOfLedger({ place, store }: Plane): readonly string[] {
  return isGlobal(place) ? peersOf(store) : [GLOBAL_PEER];
}

/** Where rows stand at one peer that should have them. */
export function entryAt(plane: Plane, seen: PeerView): (row: Row) => LedgerEntry {
  const reported = readReported(plane.store, seen.peer);
  const isListed = seen.ack?.refusals === reported.digest && diverged(plane.store) === undefined;
  const last = reported.refusals.at(-1)?.key;
  const known = (key: Key): boolean => isListed && (reported.whole || (last !== undefined && compareKeys(key, last) <= 0));
  const refused = new Map(reported.refusals.map((refusal) => [keyId(refusal.key), refusal]));
  const changed = changesSince(plane.store, seen.peer, seen.ack?.position?.revision ?? 0);
  return (row) => entry(plane, row, seen, { known, changed }, refused.get(keyId(row.resource.key)));
}

/** Bytes of changes, and pages of them, that are looked through for what became of one resource. */
const LOOKED_THROUGH = 1024 * 1024;
const PAGES = 20;

/**
 * Tells whether a resource may have changed in the peer's feed behind a revision. The log is read when it is first
 * asked.
 */
function changesSince({ feed }: Reader, peer: string, revision: number): (key: Key) => boolean {
  let changed: ReadonlySet<string> | 'unknown' | undefined;
  const read = (): ReadonlySet<string> | 'unknown' => {
    if (!feed.reaches(revision)) return 'unknown';
    const found = new Set<string>();
    let bytes = 0;
    let after = 0;
    for (let page = 0; page < PAGES && bytes < LOOKED_THROUGH; page++) {
      const { changes, next } = feed.changes(peer, revision, after, LOOKED_THROUGH);
      for (const { key } of changes) found.add(keyId(key));
      if (next === undefined) return found;
      bytes += changes.reduce((sum, { wire }) => sum + wire.length, 0);
      after = next;
    }
    return 'unknown';
  };
  return (key) => {
    changed ??= read();
    return changed === 'unknown' || changed.has(keyId(key));
  };
}

interface PeerKnowledge {
  /** The list of refusals is the one that the peer has now and reaches to the key; this store's own numbers count. */
  readonly known: (key: Key) => boolean;
  /** Whether a resource may have changed since the peer's last word. */
  readonly changed: (key: Key) => boolean;
}

function entry(
  plane: Plane,
  row: Row,
  view: PeerView,
  { known, changed }: PeerKnowledge,
  refusal: { reason: string; since: string } | undefined,
): LedgerEntry {
  const base = { key: row.resource.key, peer: peerName(view.peer) };
  const position = view.ack?.position;
  const { head } = view;
  const since = row.resource.modificationTime;
  if (!position || position.store !== head.store || position.term !== head.term)
    return { ...base, state: 'on its way', since, reason: why(plane, view) };
  const same = position.digest === head.digest && position.count === head.count;
  if (!same && position.revision >= head.revision) return { ...base, state: 'unverified', since };
  const isLater = position.revision < row.revision && (!same || changed(row.resource.key));
  if (isLater) return { ...base, state: 'on its way', since, reason: why(plane, view) };
  if (refusal) return { ...base, state: 'refused', reason: refusal.reason, since: refusal.since };
  return known(row.resource.key) ? { ...base, state: 'applied', ...unusedReason(plane, row) } : { ...base, state: 'unverified', since };
}

/** What is where it should be may yet let nobody in: inbounds of a Dataplane, a MeshService that no import takes. */
function unusedReason({ store }: Plane, { resource }: Row): { reason?: string } {
  if (resource.key.type === 'MeshService') {
    const declined = declinedServices(store, resource.key.mesh).get(keyId(resource.key));
    return declined === undefined ? {} : { reason: `no call by attributes gets to it: ${declined.reason}` };
  }
  if (resource.key.type !== 'Dataplane') return {};
  // What is asked of a sidecar leads to nothing else of the mesh.
  const notes = shutNotes(readProxy(resource, indexMesh([])));
  return notes.length === 0 ? {} : { reason: notes.join('; ') };
}

/** Why it takes long; undefined: it does not. */
export function why(plane: Plane, view: PeerView): string | undefined {
  if (view.stopped) return view.stopped.message;
  if (isGlobal(plane.place) && zoneState(plane.store, view.peer) === 'disabled')
    return `zone ${view.peer} is disabled: it keeps what it has`;
  const told = view.unsent ?? view.ack?.notTaken;
  return view.online ? told : (view.unsent ?? 'the connection is lost');
}
