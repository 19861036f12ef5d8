import type { Audience } from '../audience.ts';
import type { AuditReader, AuditRecord } from './audit.ts';
import type { HistoryReader } from './history.ts';
import type { Key } from '../key.ts';
import type { Parts } from './parts.ts';
import type { Resource } from '../resource.ts';
import type { WithdrawalReader } from './withdrawals.ts';

/**
 * The store of one control plane. It is synchronous: SQLite answers in microseconds, and a commit is one call.
 * Everything that a control plane must not forget is in it: resources, the change log that feeds are made of, the
 * mirrors of what others sent, the cursors, the assigned names.
 */
export interface Store extends Reader {
  /**
   * Runs `body` in one transaction. One commit is one revision; a body that changed nothing makes no revision. It is on
   * the disk when this returns, unless `durability` says later.
   */
  commit<T>(body: (tx: Transaction) => T, durability?: Durability): T;
  /**
   * The same for several bodies that wait for the disk together, in order: what each of them writes, reads and throws,
   * and its revision, are as if each were committed alone. One that throws takes nothing of the others away. Throws
   * when nothing of all was committed: the disk is full.
   */
  commitEach<T>(bodies: readonly ((tx: Transaction) => T)[]): readonly Outcome<T>[];
  /**
   * `commit` for what takes long: each step of the generator that comes out runs `body` up to its next `yield`, and
   * others may have the event loop between the steps. Until the last step everybody else reads what was there before,
   * and then all of it. `return()` gives it up. While it is under way, any other commit throws `unavailable`: see
   * `whenFree`.
   */
  commitInParts<T>(body: (tx: Transaction) => Parts<T>): Parts<T>;
  /**
   * What `commitInParts` would do, without doing it: at the end all that `body` wrote is rolled back. `before` goes on
   * to read what is there without it, and nothing of that changes meanwhile. `return()` gives it up.
   */
  tryInParts<T>(body: (tx: Transaction, before: Reader) => Parts<T>): Parts<T>;
  /** Whether nothing is under way that keeps others from committing. */
  isFree(): boolean;
  /** Runs `task` as soon as the store is free: now, or later, in the order of the calls. */
  whenFree(task: () => void): void;
  /** Returns when all that was committed is on the disk. Nothing is to be done where no commit was left for later. */
  toDisk(): void;
  close(): void;
}

/**
 * `later`: the commit does not wait for the disk. A power cut may take it back, with all that came after it, never a
 * part of it. The next commit that waits, and `toDisk`, wait for this one too.
 */
export type Durability = 'at once' | 'later';

/** What became of one of several bodies. */
export type Outcome<T> = { readonly result: T } | { readonly thrown: unknown };

/** A resource as it is stored, with what its feed needs. */
export interface Row {
  readonly resource: Resource;
  readonly audience: Audience;
  /** The encoded feed item (src/kds/item.ts); '' when the audience is nobody. */
  readonly wire: string;
  /** The revision of its last change. */
  readonly revision: number;
}

/** A filter for a list. Every given part must hold. */
export interface Filter {
  readonly type: string;
  readonly mesh?: string | undefined;
  /** The REST name contains this. */
  readonly nameContains?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

export interface ListPage {
  readonly items: readonly Resource[];
  readonly total: number;
}

/** Who this store is, and how far. */
export interface Head {
  /** Random, made with the database: a lost volume gets another one. */
  readonly store: string;
  /** Raised by `meridianctl recover`. */
  readonly term: number;
  /** The number of the last commit that changed something. */
  readonly revision: number;
}

/** What one zone takes up in this store. */
export interface Holding {
  /** Its resources, and the bytes of what they say: labels, spec and status as JSON. */
  readonly resources: number;
  readonly bytes: number;
  /** What it sent, accepted or not, as it is kept to judge it again. */
  readonly mirrored: number;
  readonly mirroredBytes: number;
  /** The keys that were seen of it, and the names that were given to them. */
  readonly keys: number;
  readonly names: number;
}

export interface Reader {
  head(): Head;
  get(key: Key): Row | undefined;
  /** Whether there is one, without reading it. */
  has(key: Key): boolean;
  /** What it is called here, without reading it. */
  nameOf(key: Key): string | undefined;
  /** By what it is called here. `namespace` '' where there are none. */
  byName(type: string, mesh: string, namespace: string, name: string): Row | undefined;
  /** Ordered by mesh, name, namespace. `size` is a count of items. */
  list(filter: Filter, offset: number, size: number): ListPage;
  /** Every row of a kind, in key order, without loading them all at once. */
  each(type: string): IterableIterator<Row>;
  /** Number of resources per kind and mesh (not the insights). */
  counts(): readonly { readonly type: string; readonly mesh: string; readonly count: number }[];
  /** The assigned name of a copy of `key`, if one was ever assigned (global only). */
  assignedName(key: Key): string | undefined;
  /** Whose name it is, for good. */
  nameHolder(type: string, name: string): Key | undefined;
  /** O(1), but for the first time. */
  holding(zone: string): Holding;
  /** The policies whose references resolve to `target`. */
  referrers(target: Key): readonly Key[];
  /** A small value kept by name: settings of the first start, signing secrets. */
  setting(name: string): string | undefined;
  /** The names of all settings that begin with `prefix`, sorted. */
  settingsFrom(prefix: string): readonly string[];
  mirror: MirrorReader;
  feed: FeedReader;
  history: HistoryReader;
  sent: WithdrawalReader;
  audit: AuditReader;
}

export interface Transaction extends Reader {
  /** The revision that this commit will have. */
  readonly revision: number;
  /**
   * Writes a resource if anything of it (name, namespace, labels, spec, status, audience, wire) differs from what is
   * stored; else leaves the row and its modification time alone. The order of fields is no difference, in the item
   * neither. What differs neither in audience nor in wire is a revision, but no change of a feed. The creation time of
   * an existing row stays. Throws `conflict` for a name that another resource of the type, mesh and namespace has.
   */
  put(resource: Resource, audience: Audience, wire: string): 'created' | 'changed' | 'unchanged';
  /** Removes a resource and what it refers to; its name stays assigned. False when there is none. */
  delete(key: Key): boolean;
  assignName(key: Key, name: string): void;
  /**
   * Checks the next `most` keys of `zone` after number `after`. Forgets names that no resource has, that are not sent
   * and that nothing refers to, and keys that nothing uses. Returns where to go on; 0 at the end.
   */
  forgetUnused(zone: string, after: number, most: number): number;
  /** Replaces the targets of `key`'s references; empty removes them. */
  setReferences(key: Key, targets: readonly Key[]): void;
  /**
   * `term` raises the store's term. Throws `internal` for one that does not rise, and for what a store makes for
   * itself: the secret for cursors (`SECRET` of src/kds/cursor.ts), which a new store has.
   */
  setSetting(name: string, value: string): void;
  /** Keeps the records of this commit; the oldest are forgotten (src/store/audit-log.ts). */
  recordAudit(records: readonly AuditRecord[]): void;
  mirror: MirrorWriter;
}

/** Why something that was received is not in force, or only an older version of it. */
export interface Refusal {
  readonly key: Key;
  /** SHA-256 of the refused item, hex. */
  readonly hash: string;
  readonly reason: string;
  /** RFC 3339, the receiver's clock. */
  readonly since: string;
  readonly inForce: InForce;
}

/** `previous`: the last accepted version stays in force. `deny`: what it selects is denied. `none`: nothing of it. */
export const IN_FORCE = ['previous', 'deny', 'none'] as const;

export type InForce = (typeof IN_FORCE)[number];

/** All refusals of a peer's feed. */
export interface RefusalSum {
  readonly count: number;
  /** Of the refused items. */
  readonly bytes: number;
  /** Names the list (src/kds/refusal.ts); '' when there are none. */
  readonly digest: string;
}

/** How far this control plane has a peer's feed. The opaque `cursor` was signed by the peer. */
export interface Position {
  readonly store: string;
  readonly term: number;
  readonly revision: number;
  /** Hex digest of the mirror at that revision. */
  readonly digest: string;
  readonly count: number;
  /** As received: shown again at the next pull. */
  readonly signature: string;
}

/** One item as a peer sent it. `term`: of the sender's store when it was last sent. */
export interface MirrorItem {
  readonly key: Key;
  readonly wire: string;
  readonly hash: string;
  readonly term: number;
  readonly refusal?: Refusal | undefined;
}

interface MirrorReader {
  position(peer: string): Position | undefined;
  get(peer: string, key: Key): MirrorItem | undefined;
  /** Which version of an item is there, without reading it. */
  stamp(peer: string, key: Key): Pick<MirrorItem, 'hash' | 'term'> | undefined;
  /** In key order. */
  each(peer: string): IterableIterator<MirrorItem>;
  /** How many items there are of the peer, accepted or not. */
  size(peer: string): number;
  /** What the peer's refusals add up to. O(1), but for the first time. */
  refusalSum(peer: string): RefusalSum;
  /**
   * How many of them are of each kind; of kinds that are not known, together as `unknown`, for a peer may make up any
   * number of these. Costs as `refusalSum`.
   */
  refusedByType(peer: string): ReadonlyMap<string, number>;
  /** The peers of whose feeds something is refused. */
  refusedPeers(): readonly string[];
  /** The refusals of the peer's feed, in key order, after the key `after`; with `most`, no more than that. */
  refusals(peer: string, after?: Key, most?: number): readonly Refusal[];
  /** Whether a transfer from `peer` has staged anything. */
  hasStaged(peer: string): boolean;
  /** What a transfer from `peer` has staged so far, the last version of each key. A deleted key has wire ''. */
  staged(peer: string): IterableIterator<{ readonly key: Key; readonly wire: string }>;
}

export interface MirrorWriter extends MirrorReader {
  put(peer: string, item: MirrorItem): void;
  delete(peer: string, key: Key): void;
  /** Stages parts of a transfer: not a revision, not in any feed. */
  stage(peer: string, parts: readonly { readonly key: Key; readonly wire: string }[]): void;
  clearStage(peer: string): void;
  setPosition(peer: string, position: Position | undefined): void;
}

/** A feed's content at the head: how many items `peer` should have, and the sum over them. */
export interface FeedSummary {
  readonly count: number;
  /** Hex. */
  readonly digest: string;
}

/** One change of a feed since a revision: a put with the encoded item, or a delete (wire ''). */
export interface FeedChange {
  readonly key: Key;
  readonly wire: string;
}

export interface FeedReader {
  /** O(1). */
  summary(peer: string): FeedSummary;
  /**
   * The peers whose feeds commits after `revision` may have changed; undefined: anybody's, or too much changed to tell.
   * Costs no more than what changed, within bounds.
   */
  concerned(revision: number): readonly string[] | undefined;
  /** Whether the log reaches back to `revision`. O(1). */
  reaches(revision: number): boolean;
  /**
   * The summary as it was at `revision`, worked out backwards from the log; undefined when the log does not reach that
   * far.
   */
  summaryAt(peer: string, revision: number): FeedSummary | undefined;
  /**
   * The last state of every key of `peer`'s feed that changed after `revision`, in the order of the last changes,
   * starting behind position `after` (0: from the start), about `maxBytes` of items (at least one). A page looks at
   * a bounded part of the log: it may be empty, and more follow. `next` is the position to go on from; undefined: that
   * was the end.
   */
  changes(
    peer: string,
    revision: number,
    after: number,
    maxBytes: number,
  ): { readonly changes: readonly FeedChange[]; readonly next: number | undefined };
  /**
   * The items of `peer`'s feed in key order after the key `after`, each as it is now: about `maxBytes` (at least one).
   */
  page(peer: string, after: Key | undefined, maxBytes: number): { readonly items: readonly FeedChange[]; readonly next: Key | undefined };
}
