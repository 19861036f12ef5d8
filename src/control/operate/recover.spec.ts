import { orphansOf } from '../peers/lost-store.ts';
import { diverged, markDiverged } from '../peers/divergence.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import { placeOf } from '../peers/known-peers.ts';
import { recover } from './recover.ts';
import type { Place } from '../../resource/resource.ts';
import type { Plane } from '../plane/plane.ts';
import {
  carry,
  EAST,
  forAll,
  held,
  keyOf,
  newGlobal,
  newZone,
  pinOf,
  service,
  timeout,
  WEST,
} from '../../../test/harness/control-planes.ts';
import { deleteResource, writeDrafts } from '../../../test/harness/write-drafts.ts';

test('only what is broken is repaired', () => {
  const global = newGlobal(EAST);
  const before = global.store.head();
  assert.deepEqual(
    global.store.commit((tx) => recover(tx, global, {})),
    ['nothing to recover from'],
  );
  assert.deepEqual(global.store.head(), before);
});

test('a restored store sends again, in the next term', () => {
  const global = newGlobal(EAST);
  global.store.commit((tx) => markDiverged(tx, { diverged: 'restored', term: 1 }));
  assert.deepEqual(
    global.store.commit((tx) => recover(tx, global, {})),
    ['this store sends again, in term 2'],
  );
  assert.deepEqual([diverged(global.store), global.store.head().term], [undefined, 2]);
});

test('a store from before an earlier recovery takes a term that nobody saw', () => {
  const global = newGlobal(EAST);
  for (const term of [4, 2]) global.store.commit((tx) => markDiverged(tx, { diverged: 'restored', term }));
  assert.deepEqual(
    global.store.commit((tx) => recover(tx, global, {})),
    ['this store sends again, in term 5'],
  );
});

test('an accepted store is pinned at its next word, may stand elsewhere, and its absence proves nothing', () => {
  const global = newGlobal(EAST);
  const east = newZone(EAST, global);
  writeDrafts(east, [timeout('a')]);
  carry(east, global);
  global.store.commit((tx) => recover(tx, global, { acceptStore: 'east' }));
  assert.deepEqual([pinOf(global, 'east'), placeOf(global.store, 'east')], ['', undefined]);
  const reborn = newZone(EAST, global);
  assert.equal(carry(reborn, global), 'applied');
  assert.deepEqual(held(global), ['a']);
  assert.deepEqual(
    orphansOf(global.store, 'east').map(({ key }) => key.name),
    ['a'],
  );
});

test('what an accepted store sends is judged by where that one stands, even if it is what the old one sent', () => {
  const global = newGlobal(EAST);
  const east = newZone(EAST, global);
  writeDrafts(east, [timeout('a')]);
  carry(east, global);
  assert.equal(global.store.get(keyOf(timeout('a'), 'east'))?.resource.labels['kuma.io/policy-role'], 'producer');
  global.store.commit((tx) => recover(tx, global, { acceptStore: 'east' }));
  const elsewhere = { ...east, place: { ...EAST, systemNamespace: 'app' } };
  assert.equal(carry(elsewhere, global), 'applied');
  assert.equal(global.store.get(keyOf(timeout('a'), 'east'))?.resource.labels['kuma.io/policy-role'], 'system');
});

test('a delete of what an accepted store never sent is a delete', () => {
  const global = newGlobal(WEST);
  writeDrafts(global, [forAll('a')]);
  const west = newZone(WEST, global);
  west.store.commit((tx) => recover(tx, west, { acceptStore: GLOBAL_PEER }));
  deleteResource(global, keyOf(forAll('a'), ''));
  carry(global, west);
  assert.deepEqual(held(west), ['a']);
  writeDrafts(global, [forAll('a')]);
  deleteResource(global, keyOf(forAll('a'), ''));
  assert.equal(carry(global, west, 'delta'), 'applied');
  assert.deepEqual([held(west), orphansOf(west.store, GLOBAL_PEER)], [[], []]);
});

test('nothing is dropped before the peer said what it has', () => {
  const global = newGlobal(EAST);
  const east = newZone(EAST, global);
  writeDrafts(east, [timeout('a')]);
  carry(east, global);
  assert.match(global.store.commit((tx) => recover(tx, global, { acceptStore: 'east', dropAbsent: 'east' }))[1] ?? '', /^dropped 0/);
  assert.deepEqual(held(global), ['a']);
  carry(newZone(EAST, global), global);
  assert.match(global.store.commit((tx) => recover(tx, global, { dropAbsent: 'east' }))[0] ?? '', /^dropped 1/);
  assert.deepEqual(held(global), []);
});

test('nobody is accepted who was never there', () => {
  const empty = newGlobal();
  assert.throws(() => empty.store.commit((tx) => recover(tx, empty, { acceptStore: 'east' })), { code: 'not_found' });
});

test('what was refused for the name of something left over is taken once that is given up', () => {
  const EAST1: Place = { ...EAST, zone: 'east1' };
  const first = newGlobal(EAST, EAST1);
  const east = newZone(EAST, first);
  writeDrafts(east, [{ ...service('web'), namespace: '1a' }]);
  carry(east, first);
  const west = newZone(WEST, first);
  // The new global hears of the other one whom Kuma calls the same, and of the first never again.
  const second = newGlobal(EAST, EAST1);
  const east1 = newZone(EAST1, second);
  writeDrafts(east1, [{ ...service('web'), namespace: 'a' }]);
  carry(east1, second);
  west.store.commit((tx) => recover(tx, west, { acceptStore: GLOBAL_PEER }));
  carry(second, west);
  assert.deepEqual(zonesOf(west), ['east']);
  assert.match(west.store.mirror.refusals(GLOBAL_PEER)[0]?.reason ?? '', /is taken by/);
  west.store.commit((tx) => recover(tx, west, { dropAbsent: GLOBAL_PEER }));
  assert.deepEqual([zonesOf(west), west.store.mirror.refusals(GLOBAL_PEER)], [['east1'], []]);
});

function zonesOf({ store }: Plane): string[] {
  return [...store.each('MeshService')].map(({ resource }) => resource.key.zone);
}
