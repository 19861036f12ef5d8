import { keyFromTuple, keyId, keyTuple, type KeyTuple } from '../../resource/key.ts';
import type { Reader, Refusal, Transaction } from '../../resource/store/store.ts';

/**
 * The refusals of this store's feed, as the peer listed them. `since`: when this side first heard of it, by its own
 * clock.
 */
export interface ReportedRefusals {
  readonly digest: string;
  readonly refusals: readonly Refusal[];
  /** Those are all; else the first by key (src/kds/refusal-transfer.ts). */
  readonly whole: boolean;
}

export const NO_REFUSALS: ReportedRefusals = { digest: '', refusals: [], whole: true };

/** The digest alone is read at every message, the list only for people. */
export function reportedDigest(reader: Reader, peer: string): string {
  return reader.setting(`reported-digest:${peer}`) ?? '';
}

export function readReported(reader: Reader, peer: string): ReportedRefusals {
  const list = JSON.parse(reader.setting(`reported:${peer}`) ?? '[]') as (Omit<Refusal, 'key'> & { key: KeyTuple })[];
  return {
    digest: reportedDigest(reader, peer),
    refusals: list.map((entry) => ({ ...entry, key: keyFromTuple(entry.key) })),
    whole: reader.setting(`reported-part:${peer}`) !== 'yes',
  };
}

/** Replaces the list. A refusal that was known keeps its time. */
export function writeReported(tx: Transaction, peer: string, { digest, refusals, whole }: ReportedRefusals, now: string): void {
  const known = new Map(readReported(tx, peer).refusals.map((refusal) => [keyId(refusal.key), refusal]));
  const list = refusals.map((refusal) => {
    const before = known.get(keyId(refusal.key));
    return { ...refusal, key: keyTuple(refusal.key), since: before?.hash === refusal.hash ? before.since : now };
  });
  tx.setSetting(`reported:${peer}`, JSON.stringify(list));
  tx.setSetting(`reported-digest:${peer}`, digest);
  if (whole !== readReported(tx, peer).whole) tx.setSetting(`reported-part:${peer}`, whole ? '' : 'yes');
}
