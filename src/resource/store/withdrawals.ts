import type { Audience } from '../audience.ts';
import type { Key } from '../key.ts';

/** Which resources: every given part must hold. */
export interface WithdrawalFilter {
  readonly type?: string | undefined;
  readonly mesh?: string | undefined;
  /** The display name, or what it is or was called here. */
  readonly name?: string | undefined;
}

/** A resource that somebody got, and who does not get it any more: it was deleted, or is for others now. */
export interface Withdrawal {
  readonly key: Key;
  /** Who got it. */
  readonly before: Audience;
  readonly now: Audience;
  /** The last time that it was for those. */
  readonly revision: number;
  /** RFC 3339, this store's clock, for show only; undefined: not known any more. */
  readonly since: string | undefined;
  readonly deleted: boolean;
}

/** Whom what is stored is for, for people. */
export interface WithdrawalReader {
  /** Whether there is anything, for somebody or nobody. */
  exists(filter: WithdrawalFilter): boolean;
  /** How many there are for a peer. */
  counts(filter: WithdrawalFilter): (peer: string) => number;
  /** Those that are for `peer`, in key order. */
  keys(peer: string, filter: WithdrawalFilter, offset: number, size: number): readonly Key[];
  /**
   * What somebody lost after `revision`, as far as the log reaches back, the last first: each key once for each
   * audience that it had. What came and went since is among it.
   */
  withdrawn(
    revision: number,
    filter: WithdrawalFilter,
    size: number,
  ): { readonly withdrawn: readonly Withdrawal[]; readonly more: boolean };
}
