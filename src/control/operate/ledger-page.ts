import { includes, peerName } from '../../resource/audience.ts';
import { keyId } from '../../resource/key.ts';
import type { WithdrawalFilter, Withdrawal } from '../../resource/store/withdrawals.ts';
import { type LedgerEntry, peersOfLedger, entryAt, why } from './ledger.ts';
import type { PeerView } from '../peers/peer-view.ts';
import type { Plane } from '../plane/plane.ts';
import { diverged } from '../peers/divergence.ts';

export interface LedgerPage {
  readonly entries: readonly LedgerEntry[];
  /** How many entries there are in all. */
  readonly total: number;
  /** Peers that may have what was deleted, and nobody here knows what. */
  readonly unknown: readonly { readonly peer: string; readonly reason: string }[];
}

export interface LedgerQuery {
  readonly filter: WithdrawalFilter;
  /** As people call it; undefined: all. */
  readonly peer: string | undefined;
  readonly offset: number;
  readonly size: number;
}

/** Pairs of a delete and a peer that is behind, that one request looks at; of each delete at least so many. */
const MOST_PAIRS = 5_000_000;
const LEAST_DELETES = 1_000;

/**
 * A part of the whole ledger: peer after peer, first what is on its way out there, the last first, then what is for it,
 * in key order. Only the peers that the part touches are looked at closely.
 */
export function ledgerPage(plane: Plane, view: (peer: string) => PeerView, { filter, peer, offset, size }: LedgerQuery): LedgerPage {
  const { sent } = plane.store;
  const peers = peersOfLedger(plane).filter((one) => peer === undefined || peerName(one) === peer);
  const lags = peers.map((one) => lagOf(plane, view(one)));
  const { withdrawn, more } = withdrawnSince(plane, filter, lags);
  const count = sent.counts(filter);
  const entries: LedgerEntry[] = [];
  let total = 0;
  for (const [index, one] of peers.entries()) {
    const lag = lags[index];
    const gone = lag ? lostBy(one, lag, withdrawn) : [];
    const first = Math.max(0, offset - total);
    const wanted = size - entries.length;
    const out = gone.slice(first, first + wanted).map((lost) => withdrawal(plane, view(one), lag?.isSure === true, lost));
    const rows = wanted - out.length;
    const held = count(one);
    entries.push(...out, ...(rows > 0 ? deliveries(plane, view(one), filter, Math.max(0, first - gone.length), rows) : []));
    total += gone.length + held;
  }
  return { entries, total, unknown: peers.flatMap((one, index) => unknownAt(plane, one, lags[index], more)) };
}

/** From which revision on a peer may lack something; undefined: it has nothing of this store, or all. */
interface PeerLag {
  readonly from: number;
  /** The peer said so. */
  readonly isSure: boolean;
}

function lagOf({ store }: Plane, { ack, head }: PeerView): PeerLag | undefined {
  const position = ack?.position;
  if (ack && position?.store !== head.store) return undefined;
  const isSure = position?.term === head.term && diverged(store) === undefined;
  const from = isSure ? position.revision : 0;
  return from < head.revision ? { from, isSure } : undefined;
}

function withdrawnSince({ store }: Plane, filter: WithdrawalFilter, lags: readonly (PeerLag | undefined)[]) {
  const behind = lags.flatMap((lag) => lag ?? []);
  if (behind.length === 0) return { withdrawn: [], more: false };
  const earliest = behind.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY);
  return store.sent.withdrawn(earliest, filter, Math.max(LEAST_DELETES, Math.floor(MOST_PAIRS / behind.length)));
}

/** Each key once. */
function lostBy(peer: string, { from }: PeerLag, withdrawn: readonly Withdrawal[]): readonly Withdrawal[] {
  const lost = withdrawn.filter(
    ({ key, before, now, revision }) => revision > from && includes(before, key, peer) && !includes(now, key, peer),
  );
  return [...new Map(lost.map((one) => [keyId(one.key), one])).values()];
}

function withdrawal(plane: Plane, view: PeerView, isSure: boolean, { key, since, deleted }: Withdrawal): LedgerEntry {
  const what = deleted ? 'deleted' : 'not for it any more';
  const late = why(plane, view);
  const has = isSure ? '' : '; it has not said whether it has that still';
  return {
    key,
    peer: peerName(view.peer),
    state: isSure ? 'on its way' : 'unverified',
    deleted: true,
    since,
    reason: `${what}${late === undefined ? '' : `; ${late}`}${has}`,
  };
}

function deliveries(plane: Plane, view: PeerView, filter: WithdrawalFilter, offset: number, size: number): LedgerEntry[] {
  const { store } = plane;
  const rows = store.sent.keys(view.peer, filter, offset, size).flatMap((key) => store.get(key) ?? []);
  return rows.map(entryAt(plane, view));
}

function unknownAt({ store }: Plane, peer: string, lag: PeerLag | undefined, more: boolean): LedgerPage['unknown'] {
  if (!lag) return [];
  if (!store.feed.reaches(lag.from))
    return [
      {
        peer: peerName(peer),
        reason: 'it is further behind than the log reaches: what was deleted before is not listed, and goes with its next scan',
      },
    ];
  return more ? [{ peer: peerName(peer), reason: 'more was deleted than is looked at: only the last deletes are listed' }] : [];
}
