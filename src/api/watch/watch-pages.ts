import { LRUCache } from 'lru-cache';
import type { Plane } from '../../control/plane/plane.ts';
import type { HistoryChange, HistoryFilter, Moment } from '../../resource/store/history.ts';
import { formatKri, keyId } from '../../resource/key.ts';
import { restName } from '../../resource/rest-name.ts';
import { show } from '../resources/render-resource.ts';
import { formatPosition } from './watch-position.ts';

/** A change as it is sent. */
export interface WatchMessage extends Moment {
  readonly deleted: boolean;
  /** `{op: put | delete, revision, position, kri, type, mesh, name, resource?}` */
  readonly text: string;
}

/** How many changes are read at once. */
const SIZE = 64;
/** How many pages are kept: clients that are about as far as each other read the same. */
const KEPT = 64;

/**
 * The changes after a moment, as messages. A page is right until the next commit, since one resource may be shown by
 * what another one says. So many clients cost little more than one.
 */
export class Pages {
  readonly #plane: Plane;
  readonly #epoch: string;
  readonly #kept = new LRUCache<string, readonly WatchMessage[]>({ max: KEPT });

  constructor(plane: Plane, epoch: string) {
    this.#plane = plane;
    this.#epoch = epoch;
  }

  /** Empty: there are none now. */
  behind(after: Moment, filter: HistoryFilter): readonly WatchMessage[] {
    const { type = '', mesh = '', key } = filter;
    const id = JSON.stringify([this.#plane.store.head().revision, after.revision, after.number, type, mesh, key ? keyId(key) : '']);
    const page = this.#kept.get(id) ?? this.#read(after, filter);
    if (page.length > 0) this.#kept.set(id, page);
    return page;
  }

  #read(after: Moment, filter: HistoryFilter): readonly WatchMessage[] {
    return this.#plane.store.history.behind(after, filter, SIZE).changes.map((change) => this.#toMessage(change));
  }

  #toMessage({ revision, number, key, name, namespace, resource }: HistoryChange): WatchMessage {
    const moment = { revision, number };
    const head = { op: resource ? 'put' : 'delete', revision, position: formatPosition(this.#epoch, moment) };
    const who = { kri: formatKri(key), type: key.type, mesh: key.mesh, name: restName({ key, name, namespace }, this.#plane.place) };
    const shown = resource ? { resource: show(this.#plane, resource, 'universal') } : {};
    return { ...moment, deleted: !resource, text: JSON.stringify({ ...head, ...who, ...shown }) };
  }
}
