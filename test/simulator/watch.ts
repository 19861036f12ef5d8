import { zoneState } from '../../src/control/peers/zone-state.ts';
import { isFilling } from '../../src/control/peers/first-scan-state.ts';
import { addHash, EMPTY_DIGEST, formatDigest } from '../../src/kds/digest.ts';
import { GLOBAL_PEER } from '../../src/resource/audience.ts';
import { type Key, keyId } from '../../src/resource/key.ts';
import type { Resource } from '../../src/resource/resource.ts';
import type { Position, Transaction } from '../../src/resource/store/store.ts';
import { type StoreEntry, entryOf } from './content.ts';
import type { Model } from './model.ts';
import type { Node } from './node.ts';

/** Who looks at each commit of each node. */
export interface Watch {
  deleted(node: Node, key: Key): void;
  /** `before`: undefined for what is new, and for the node's own. */
  rewritten(node: Node, before: Resource | undefined, after: Resource): void;
  moved(node: Node, peer: string, before: Position | undefined, after: Position | undefined): void;
  /** The commit is done; it had set the position of `peer`. */
  committed(node: Node, peer: string): void;
  /** The commit is done; it changed what `peer` sent, and did not set its position. */
  mirrored(node: Node, peer: string): void;
}

export const NOBODY_WATCHES: Watch = { deleted: () => {}, rewritten: () => {}, moved: () => {}, committed: () => {}, mirrored: () => {} };

/**
 * What must hold at every commit of every control plane, and not only at the end:
 *
 *   a cursor goes back       within one store id and term                                      -> said
 *   a copy is deleted        that nobody deleted, and no operator gave up                      -> said
 *   a copy is written again  though nothing of it changed                                      -> said
 *   a disabled zone is heard                                                                   -> said
 *   copies of two moments    of the sender in force together: no access may come of a mixture  -> said
 *   a mirror changes         and does not add up to the digest of its position any more         -> said
 */
export class Invariants implements Watch {
  private readonly model: Model;

  readonly problems: string[] = [];

  constructor(model: Model) {
    this.model = model;
  }

  private say(node: Node, text: string): void {
    this.problems.push(`${node.name} ${text}`);
  }

  deleted(node: Node, key: Key): void {
    if (key.zone === node.place.zone || this.model.mayBeDeleted(key) || this.isLie(node, key)) return;
    // A part of a first fill was never in force: the zone denies until it has all.
    if (isFilling(node.plane.store)) return;
    this.say(node, `deletes a copy that nobody deleted: ${JSON.stringify(key)}`);
  }

  rewritten(node: Node, before: Resource | undefined, after: Resource): void {
    if (before === undefined || shown(before) !== shown(after) || this.isLie(node, after.key)) return;
    this.say(node, `rewrites what did not change: ${JSON.stringify(after.key)}`);
  }

  moved(node: Node, peer: string, before: Position | undefined, after: Position | undefined): void {
    if (!before || !after || before.store !== after.store || before.term !== after.term) return;
    if (after.revision < before.revision) this.say(node, `goes back in the feed of ${peer}: from ${before.revision} to ${after.revision}`);
  }

  /**
   * After a commit in which the position of `peer` was set: what is here of it is what it was at that revision, whole.
   */
  committed(node: Node, peer: string): void {
    const position = node.plane.store.mirror.position(peer);
    const sender = peer === GLOBAL_PEER ? '' : peer;
    if (!position) return;
    if (sender !== '' && zoneState(node.plane.store, sender) === 'disabled') this.say(node, `takes from ${sender}, which is disabled`);
    if ([sender, node.place.zone].includes(this.model.liar ?? '-')) return;
    const candidates = node.world.history.at(position);
    const mixed = candidates.map((content) => this.difference(node, peer, sender, content));
    if (mixed.length > 0 && mixed.every((found) => found !== undefined)) {
      this.say(node, `at revision ${position.revision} of ${sender || 'global'} ${mixed[0]}`);
    }
  }

  mirrored(node: Node, peer: string): void {
    const { mirror } = node.plane.store;
    const position = mirror.position(peer);
    if (!position) return;
    const sent = [...mirror.each(peer)].filter(({ term }) => term === position.term);
    const digest = sent.reduce((sum, { hash }) => addHash(sum, hash), EMPTY_DIGEST);
    if (sent.length === position.count && formatDigest(digest) === position.digest) return;
    this.say(node, `has other items of ${peer} than its position says: revision ${position.revision}, ${position.count} items`);
  }

  private isLie(node: Node, key: Key): boolean {
    return this.model.liar !== undefined && [node.place.zone, key.zone].includes(this.model.liar);
  }

  private difference(node: Node, peer: string, sender: string, content: ReadonlyMap<string, StoreEntry>): string | undefined {
    const { mirror } = node.plane.store;
    let refused: ReadonlySet<string> | undefined;
    const isRefused = (id: string): boolean => (refused ??= new Set(mirror.refusals(peer).map(({ key }) => keyId(key)))).has(id);
    const here = node.content;
    for (const [id, entry] of content) {
      if (this.isLie(node, entry.key) || !this.model.isFor(entry, sender, node.place.zone)) continue;
      const found = here.get(id);
      if (found?.text === entry.text || isRefused(id)) continue;
      return found ? `has ${id} of another revision` : `lacks ${id}`;
    }
    const term = mirror.position(peer)?.term;
    for (const [id, { key }] of here) {
      if (!comesFrom(key, peer, node) || this.isLie(node, key)) continue;
      const known = content.get(id);
      if (known && this.model.isFor(known, sender, node.place.zone)) continue;
      const item = mirror.get(peer, key);
      if (item?.term === term && !isRefused(id)) return `has ${id}, which is not in it`;
    }
    return undefined;
  }
}

/**
 * Whether `node` has this key from that peer: a zone has all but its own from global, global has each zone's from that
 * zone.
 */
function comesFrom(key: Key, peer: string, node: Node): boolean {
  return peer === GLOBAL_PEER ? key.zone !== node.place.zone : key.zone === peer;
}

function shown({ name, namespace, labels, spec, status }: Resource): string {
  return JSON.stringify([name, namespace, labels, spec, status]);
}

/**
 * What a commit did: which entries changed (undefined: deleted), of which peers the position was set, and of which what
 * they sent changed.
 */
export interface Deeds {
  readonly entries: Map<string, StoreEntry | undefined>;
  readonly moved: Set<string>;
  readonly mirrored: Set<string>;
}

/** A transaction of `node` that tells `watch` what it does, and notes its deeds. */
export function watched(tx: Transaction, node: Node, watch: Watch, { entries, moved, mirrored }: Deeds): Transaction {
  const put: Transaction['put'] = (resource, audience, wire) => {
    const before = resource.key.zone === node.place.zone ? undefined : tx.get(resource.key)?.resource;
    const outcome = tx.put(resource, audience, wire);
    if (outcome !== 'unchanged' && resource.key.type !== 'Zone') {
      entries.set(keyId(resource.key), entryOf(resource));
      watch.rewritten(node, before, resource);
    }
    return outcome;
  };
  const remove: Transaction['delete'] = (key) => {
    const had = tx.delete(key);
    if (had && key.type !== 'Zone') {
      entries.set(keyId(key), undefined);
      watch.deleted(node, key);
    }
    return had;
  };
  const setPosition: Transaction['mirror']['setPosition'] = (peer, position) => {
    watch.moved(node, peer, tx.mirror.position(peer), position);
    moved.add(peer);
    tx.mirror.setPosition(peer, position);
  };
  const putItem: Transaction['mirror']['put'] = (peer, item) => {
    mirrored.add(peer);
    tx.mirror.put(peer, item);
  };
  const deleteItem: Transaction['mirror']['delete'] = (peer, key) => {
    mirrored.add(peer);
    tx.mirror.delete(peer, key);
  };
  const mirror: Transaction['mirror'] = { ...tx.mirror, setPosition, put: putItem, delete: deleteItem };
  // The revision is a getter of `tx`.
  return Object.assign(Object.create(tx) as Transaction, { put, delete: remove, mirror });
}
