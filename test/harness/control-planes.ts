import type { Item } from '../../src/kds/item.ts';
import { makePosition, signer } from '../../src/kds/cursor.ts';
import { encodeDelete } from '../../src/kds/item.ts';
import { GLOBAL_PEER } from '../../src/resource/audience.ts';
import type { Key } from '../../src/resource/key.ts';
import { type Draft, GLOBAL, type JsonObject, type Place } from '../../src/resource/resource.ts';
import type { FeedChange, Position } from '../../src/resource/store/store.ts';
import { readPeer, writePeer } from '../../src/control/peers/known-peers.ts';
import { isGlobal, type Plane } from '../../src/control/plane/plane.ts';
import { applyTransfer } from '../../src/control/receive/apply-transfer.ts';
import { openTestStore } from './test-store.ts';
import { writeDrafts } from './write-drafts.ts';

/** What the tests of this folder share: control planes in memory, and feeds that are carried by hand. */

export const EAST: Place = { zone: 'east', environment: 'kubernetes', systemNamespace: 'kuma-system' };
export const WEST: Place = { zone: 'west', environment: 'kubernetes', systemNamespace: 'mesh-system' };
export const PLAIN: Place = { zone: 'plain', environment: 'universal', systemNamespace: '' };

export const NOW = '2026-01-01T00:00:00Z';
export const MESH: Draft = { type: 'Mesh', mesh: '', name: 'default', namespace: undefined, labels: {}, spec: {} };

let stores = 0;

export function newPlane(place: Place): Plane {
  const id = (++stores).toString(16).padStart(8, '0');
  return { place, store: openTestStore(':memory:', () => id), now: () => NOW };
}

/** Global with the mesh `default`, which knows these zones. */
export function newGlobal(...zones: readonly Place[]): Plane {
  const global = newPlane(GLOBAL);
  writeDrafts(global, [MESH]);
  for (const zone of zones) introduce(global, zone);
  return global;
}

/** A zone that has global's meshes. */
export function newZone(place: Place, global: Plane): Plane {
  const zone = newPlane(place);
  zone.store.commit((tx) => writePeer(tx, GLOBAL_PEER, { store: global.store.head().store }));
  carry(global, zone);
  return zone;
}

function introduce({ store }: Plane, { zone, environment, systemNamespace }: Place): void {
  store.commit((tx) => writePeer(tx, zone, { store: '00', about: { environment, systemNamespace, version: '1' } }));
}

function nameOf({ place }: Plane): string {
  return isGlobal(place) ? GLOBAL_PEER : place.zone;
}

/** The sender's cursor for a peer at its head. */
export function endOf({ store }: Plane, peer: string): Position {
  return makePosition(signer('secret'), peer, store.head(), store.feed.summary(peer));
}

const ALL = 1e9;

/** Carries the whole feed, or what changed since what the receiver has. */
export function carry(sender: Plane, receiver: Plane, mode: 'scan' | 'delta' = 'scan'): 'applied' | 'mismatch' {
  const [from, to] = [nameOf(sender), nameOf(receiver)];
  const since = receiver.store.mirror.position(from)?.revision ?? 0;
  const sent = mode === 'scan' ? sender.store.feed.page(to, undefined, ALL).items : sender.store.feed.changes(to, since, 0, ALL).changes;
  return applyTransfer(receiver, { peer: from, origin: sender.place, mode, lines: sent.map(lineOf), end: endOf(sender, to) });
}

export function lineOf({ key, wire }: FeedChange): string {
  return wire === '' ? encodeDelete(key) : wire;
}

export function timeout(name: string, more: Partial<Draft> = {}, service = 'backend'): Draft {
  const spec: JsonObject = { to: [{ targetRef: { kind: 'MeshService', name: service }, default: { connectionTimeout: '1s' } }] };
  return { type: 'MeshTimeout', mesh: 'default', name, namespace: 'app', labels: {}, spec, ...more };
}

export function service(name: string): Draft {
  return { type: 'MeshService', mesh: 'default', name, namespace: 'app', labels: {}, spec: { ports: [{ port: 80 }] } };
}

/** A policy of global for everybody. */
export function forAll(name: string, more: Partial<Draft> = {}): Draft {
  return { ...timeout(name), namespace: undefined, spec: { to: [{ targetRef: { kind: 'Mesh' }, default: {} }] }, ...more };
}

export function keyOf(draft: Draft, zone: string): Key {
  return { type: draft.type, mesh: draft.mesh, zone, namespace: draft.namespace ?? '', name: draft.name };
}

/** What a zone sends of a draft. */
export function itemOf(draft: Draft, zone: string): Item {
  return { key: keyOf(draft, zone), labels: draft.labels, spec: draft.spec };
}

/** The names of what is there, as they are called there. */
export function called({ store }: Plane, type = 'MeshTimeout'): string[] {
  return [...store.each(type)].map(({ resource }) => resource.name);
}

/** The display names of what is there. */
export function held({ store }: Plane, type = 'MeshTimeout'): string[] {
  return [...store.each(type)].map(({ resource }) => resource.key.name);
}

export function pinOf({ store }: Plane, peer: string): string | undefined {
  return readPeer(store, peer)?.store;
}

/** A draft in the namespace app of the mesh default. */
export function draftInApp(type: string, name: string, spec: JsonObject): Draft {
  return { type, mesh: 'default', name, namespace: 'app', labels: {}, spec };
}
