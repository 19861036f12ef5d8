import type { Key } from '../resource/key.js';
import type { Place } from '../resource/resource.js';
import type { Reader, Store } from '../resource/store.js';

/** One control plane: where it stands, what it holds, and the time to stamp changes with. Global and zones are the same thing here. */
export interface Plane {
  readonly place: Place;
  readonly store: Store;
  /** RFC 3339, UTC: read before a commit, for show only. */
  readonly now: () => string;
  /** The keys of the resources that were written or removed after a revision; undefined, as without it: not known. */
  readonly touched?: (since: number) => readonly Key[] | undefined;
}

/** What a control plane holds, to be looked at only: a plane, or one within a transaction. */
export interface Held {
  readonly place: Place;
  readonly store: Reader;
}

export function isGlobal(place: Place): boolean {
  return place.zone === '';
}

/** Whether this control plane owns the resource: only the origin writes a key (design, section 4). */
export function owns(place: Place, key: Key): boolean {
  return key.zone === place.zone;
}
