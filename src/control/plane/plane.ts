import type { Key } from '../../resource/key.ts';
import type { Labels } from '../../resource/labels.ts';
import type { Place } from '../../resource/resource.ts';
import type { Durability, Head, Reader, Store } from '../../resource/store/store.ts';

/**
 * What one zone may hold at global (`Holding`, src/resource/store/store.ts). Of what it sends, accepted or not, twice
 * as much is kept.
 */
export interface Quota {
  readonly resources: number;
  readonly bytes: number;
}

/**
 * What global keeps of a zone that it refuses, at most: each is judged again when what it lacks comes, and stands for a
 * deny until then. Beyond it nothing more of the zone is taken.
 */
export const MOST_REFUSED = { items: 1_000, bytes: 4_000_000 };

/** More than the resources: targets of references get names too, and deleted resources keep theirs for a while. */
const NAMES_PER_RESOURCE = 10;

/** How many names a zone may have at global. */
export function mostNames({ resources }: Quota): number {
  return resources * NAMES_PER_RESOURCE;
}

/**
 * One control plane: where it stands, what it holds, and the time to stamp changes with. Global and zones are the same
 * thing here.
 */
export interface Plane {
  readonly place: Place;
  readonly store: Store;
  /** What each zone may hold here; undefined: as much as it likes. Only global has one. */
  readonly quota?: Quota | undefined;
  /** What a zone's own configuration says of its site (docs/design/attributes.md#a-sites-attributes). */
  readonly site?: Labels | undefined;
  /** RFC 3339, UTC: read before a commit, for show only. */
  readonly now: () => string;
  /** The keys of the resources that were written or removed after a revision; undefined, as without it: not known. */
  readonly touched?: (since: number) => readonly Key[] | undefined;
}

/** The keys that were written or removed since `before`; undefined: not known, as for another store or term. */
export function touchedSince({ store, touched }: Plane, before: Head): readonly Key[] | undefined {
  const head = store.head();
  if (before.store !== head.store || before.term !== head.term) return undefined;
  return before.revision === head.revision ? [] : touched?.(before.revision);
}

/** Whether nothing was written between two looks at the head; undefined: there was no look before. */
export function isSameHead(before: Head | undefined, now: Head): boolean {
  return before?.revision === now.revision && before.term === now.term && before.store === now.store;
}

/** The contents of a control plane, read-only: of a plane, or within a transaction. */
export interface PlaneContents {
  readonly place: Place;
  readonly store: Reader;
  /** As a Plane has it. */
  readonly site?: Labels | undefined;
}

export function isGlobal(place: Place): boolean {
  return place.zone === '';
}

/**
 * How long commits wait that hold nothing but copies and the cursor they go with: not in a zone, since a power cut then
 * takes both back together, and global has them still. At global others may know them already
 * (docs/decisions/0013-which-commits-wait-for-the-disk.md).
 */
export function durabilityOfCopies(place: Place): Durability {
  return isGlobal(place) ? 'at once' : 'later';
}

/**
 * Whether this control plane owns the resource: only the origin writes a key
 * (docs/design/trust.md#only-the-origin-writes).
 */
export function owns(place: Place, key: Key): boolean {
  return key.zone === place.zone;
}
