import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Audience } from '../../resource/audience.ts';
import { NOBODY, OTHERS } from '../../resource/audience.ts';
import { ledgerPage } from './ledger-page.ts';
import { heardPeer } from '../../../test/harness/peer-views.ts';
import type { PeerView } from '../peers/peer-view.ts';
import { EAST, endOf, forAll, keyOf, newGlobal, WEST } from '../../../test/harness/control-planes.ts';
import { deleteResource, writeDrafts } from '../../../test/harness/write-drafts.ts';

const ONLY_WEST: Audience = { to: 'only', zone: 'west' };

function system() {
  const global = newGlobal(EAST, WEST);
  const heads = () => ({ east: endOf(global, 'east'), west: endOf(global, 'west') });
  const acks: Record<string, PeerView['ack']> = {};
  const heard = (peer: 'east' | 'west') => {
    acks[peer] = { position: heads()[peer], refusals: '' };
  };
  const view = (peer: string): PeerView => heardPeer(peer, endOf(global, peer), { ack: acks[peer] });
  const page = (offset = 0, size = 100, peer?: string) => ledgerPage(global, view, { filter: { type: 'MeshTimeout' }, peer, offset, size });
  const lines = (...args: Parameters<typeof page>) =>
    page(...args).entries.map(({ key, peer, state, deleted }) => `${peer} ${key.name} ${deleted ? 'delete ' : ''}${state}`);
  const remove = (name: string) => deleteResource(global, keyOf(forAll(name), ''));
  const give = (name: string, audience: Audience) => {
    const row = global.store.get(keyOf(forAll(name), ''));
    assert.ok(row);
    global.store.commit((tx) => tx.put(row.resource, audience, 'wire'));
  };
  return { global, heard, acks, page, lines, remove, give };
}

test('a delete is a row until the peer has that too', () => {
  const { global, heard, lines, remove } = system();
  writeDrafts(global, [forAll('a'), forAll('b')]);
  for (const peer of ['east', 'west'] as const) heard(peer);
  remove('a');
  assert.deepEqual(lines(), ['east a delete on its way', 'east b applied', 'west a delete on its way', 'west b applied']);
  heard('east');
  assert.deepEqual(lines(), ['east b applied', 'west a delete on its way', 'west b applied']);
  writeDrafts(global, [forAll('a')]);
  assert.deepEqual(lines(0, 100, 'west'), ['west a on its way', 'west b applied'], 'back again, it is no delete');
});

test('a change of who gets it takes a copy away from some', () => {
  const { global, heard, lines, give } = system();
  writeDrafts(global, [forAll('a')]);
  for (const peer of ['east', 'west'] as const) heard(peer);
  give('a', ONLY_WEST);
  assert.deepEqual(lines(), ['east a delete on its way', 'west a on its way']);
  give('a', NOBODY);
  assert.deepEqual(lines(), ['east a delete on its way', 'west a delete on its way']);
  give('a', OTHERS);
  assert.deepEqual(lines(), ['east a on its way', 'west a on its way']);
});

test('a peer that was not heard may have anything that was deleted, one that has nothing has none of it', () => {
  const { global, heard, acks, lines, page, remove } = system();
  writeDrafts(global, [forAll('a')]);
  remove('a');
  assert.deepEqual(lines(), ['east a delete unverified', 'west a delete unverified']);
  acks.east = { position: undefined, refusals: '' };
  heard('west');
  assert.deepEqual([lines(), page().total], [[], 0]);
});

test('pages are of entries, deletes among them, and cover all of them once', () => {
  const { global, heard, page, lines, remove } = system();
  const names = Array.from({ length: 7 }, (_, index) => `t${index}`);
  writeDrafts(
    global,
    names.map((name) => forAll(name)),
  );
  for (const peer of ['east', 'west'] as const) heard(peer);
  for (const name of ['t1', 't4', 't5']) remove(name);
  const all = lines();
  assert.deepEqual([all.length, page().total], [14, 14]);
  for (const size of [1, 2, 3, 5, 13]) {
    const parts = Array.from({ length: Math.ceil(14 / size) }, (_, index) => lines(index * size, size));
    assert.deepEqual(parts.flat(), all, `pages of ${size}`);
  }
  assert.deepEqual(lines(14, 5), []);
});

test('what the log forgot is said not to be known', () => {
  const { global, heard, page } = system();
  writeDrafts(global, [forAll('a')]);
  for (const peer of ['east', 'west'] as const) heard(peer);
  writeDrafts(global, [forAll('b')]);
  assert.deepEqual(page().unknown, []);
  const { store } = global;
  const forgetful = { ...global, store: { ...store, feed: { ...store.feed, reaches: () => false } } };
  const { unknown } = ledgerPage(
    forgetful,
    (peer) => ({ peer, ack: undefined, head: endOf(global, peer), online: true }) as unknown as PeerView,
    { filter: {}, peer: 'east', offset: 0, size: 1 },
  );
  assert.deepEqual(
    unknown.map(({ peer }) => peer),
    ['east'],
  );
});
