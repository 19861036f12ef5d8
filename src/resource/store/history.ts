import type { Key } from '../key.ts';
import type { Resource } from '../resource.ts';

/** A place in the history of a store: after the change of the key with this number (the store's own) in a revision. */
export interface Moment {
  readonly revision: number;
  readonly number: number;
}

/** The last change of a key: what it is now, or that it is gone. */
export interface HistoryChange extends Moment {
  readonly key: Key;
  /** What it is, or was, called here. */
  readonly name: string;
  readonly namespace: string;
  /** undefined: it was deleted. */
  readonly resource: Resource | undefined;
}

/** A filter for the history. Every given part must hold. */
export interface HistoryFilter {
  readonly type?: string | undefined;
  readonly mesh?: string | undefined;
  readonly key?: Key | undefined;
}

/** What changed in a store, whoever gets it: by state, so that of a key there is only its last change. */
export interface HistoryReader {
  /** Whether everything that was deleted after `revision` is known to have been. */
  reaches(revision: number): boolean;
  /**
   * The changes after the place `after`, in their order: at most `size` of them, and about 256 KB (at least one, if
   * there is one).
   */
  behind(after: Moment, filter: HistoryFilter, size: number): { readonly changes: readonly HistoryChange[]; readonly more: boolean };
}
