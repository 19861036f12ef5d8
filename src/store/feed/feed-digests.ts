import { EMPTY_DIGEST, formatDigest, parseDigest } from '../../kds/digest.ts';
import type { FeedSummary } from '../../resource/store/store.ts';

/**
 * What a resource is to the feeds: its audience as a column ('', '*' or a zone), and its item's hash ('' for nobody).
 */
export interface FeedState {
  readonly audience: string;
  readonly hash: string;
}

/** The state of what does not exist. */
export const ABSENT: FeedState = { audience: '', hash: '' };

/** A change of one resource, whose key has the number `key` and the origin `zone`. */
export interface FeedStep {
  readonly key: number;
  readonly zone: string;
  readonly before: FeedState;
  readonly after: FeedState;
}

interface FeedSum {
  count: number;
  digest: bigint;
}

/**
 * The digests of all feeds at once, so that any of them is there at O(1):
 *
 *   for everyone           others          a(east) + b(west) + c(global)
 *   of it, by origin       othersFrom      east: a, west: b, '': c
 *   for one zone           only            west: d(east)
 *   the feed of west       others - othersFrom(west) + only(west) = a + c + d
 */
export interface FeedDigests {
  readonly others: FeedSum;
  readonly othersFrom: Map<string, FeedSum>;
  readonly only: Map<string, FeedSum>;
}

export function emptyDigests(): FeedDigests {
  return { others: zero(), othersFrom: new Map(), only: new Map() };
}

export function copyDigests(sums: FeedDigests): FeedDigests {
  const copyMap = (map: Map<string, FeedSum>): Map<string, FeedSum> => new Map([...map].map(([zone, sum]) => [zone, { ...sum }]));
  return { others: { ...sums.others }, othersFrom: copyMap(sums.othersFrom), only: copyMap(sums.only) };
}

/** Makes `sums` what `others` are. */
export function replaceDigests(sums: FeedDigests, others: FeedDigests): void {
  const copy = copyDigests(others);
  Object.assign(sums.others, copy.others);
  for (const [mine, theirs] of [
    [sums.othersFrom, copy.othersFrom],
    [sums.only, copy.only],
  ] as const) {
    mine.clear();
    for (const [zone, sum] of theirs) mine.set(zone, sum);
  }
}

export function summaryOf(sums: FeedDigests, peer: string): FeedSummary {
  const own = sums.othersFrom.get(peer) ?? zero();
  const only = sums.only.get(peer) ?? zero();
  return {
    count: sums.others.count - own.count + only.count,
    digest: formatDigest(BigInt.asUintN(256, sums.others.digest - own.digest + only.digest)),
  };
}

/** Adds an item of origin `zone`. */
export function addItem(sums: FeedDigests, zone: string, item: FeedState): void {
  count(sums, zone, item, 1);
}

function removeItem(sums: FeedDigests, zone: string, item: FeedState): void {
  count(sums, zone, item, -1);
}

/** The hash is read once for all sums. */
function count(sums: FeedDigests, zone: string, { audience, hash }: FeedState, sign: 1 | -1): void {
  const counting = sumsOf(sums, zone, audience);
  const value = counting.length > 0 ? parseDigest(hash) : EMPTY_DIGEST;
  for (const sum of counting) {
    sum.count += sign;
    sum.digest = BigInt.asUintN(256, sign > 0 ? sum.digest + value : sum.digest - value);
  }
}

export function applyStep(sums: FeedDigests, step: Omit<FeedStep, 'key'>): void {
  removeItem(sums, step.zone, step.before);
  addItem(sums, step.zone, step.after);
}

export function undoStep(sums: FeedDigests, step: Omit<FeedStep, 'key'>): void {
  removeItem(sums, step.zone, step.after);
  addItem(sums, step.zone, step.before);
}

/**
 * The sums that an item counts in. One that is only for its own origin counts nowhere (`includes`,
 * src/resource/audience.ts).
 */
function sumsOf(sums: FeedDigests, zone: string, audience: string): readonly FeedSum[] {
  if (audience === '*') return [sums.others, at(sums.othersFrom, zone)];
  return audience === '' || audience === zone ? [] : [at(sums.only, audience)];
}

function at(map: Map<string, FeedSum>, zone: string): FeedSum {
  const sum = map.get(zone) ?? zero();
  map.set(zone, sum);
  return sum;
}

function zero(): FeedSum {
  return { count: 0, digest: EMPTY_DIGEST };
}
