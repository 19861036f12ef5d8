import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { SyncPeer, RefusedItem } from '../../src/dashboard/home/peer.ts';
import { sentencesOf } from '../../src/dashboard/home/sentence.ts';

const NONE = { total: 0, first: [] };
const WELL = { online: true, upToDate: true, stopped: null, unsent: null, late: 0, reported: NONE, refused: [] };
const ITEM: RefusedItem = { kri: '', type: '', mesh: '', zone: '', namespace: '', name: '', reason: '', since: '' };
const peer = (name: string, more: Partial<SyncPeer> = {}): SyncPeer => ({ peer: name, ...WELL, ...more });

const TABLE: readonly (readonly [peers: readonly SyncPeer[], mode: 'global' | 'zone', sentence: string])[] = [
  [[], 'global', 'No zone has connected yet'],
  [[], 'zone', 'This zone has not heard from a global'],
  [[peer('east')], 'global', 'The zone has what is meant for it of 1 policy'],
  [[peer('east'), peer('west')], 'global', 'All 2 zones have what is meant for them of 1 policy'],
  [[peer('global')], 'zone', 'This zone and global are in step, with 1 policy here'],
  [[peer('east'), peer('west', { late: 3 })], 'global', 'west has not confirmed 3 changes'],
  [[peer('east', { online: false }), peer('west', { late: 1 })], 'global', 'east is not connected; west has not confirmed 1 change'],
  [[peer('east', { online: false, upToDate: false })], 'global', 'east is not connected'],
  [[peer('east', { upToDate: false })], 'global', 'east has sent more than global has so far'],
  [[peer('east', { late: 1, unsent: 'x' })], 'global', 'east has not confirmed 1 change and is not reached (x)'],
  [[peer('east', { stopped: { message: 'x' } })], 'global', 'east is stopped (x)'],
  [
    [peer('global', { refused: [ITEM], reported: { total: 2, first: [] } })],
    'zone',
    'global refused 2 of this zone and had 1 refused by this zone',
  ],
];

for (const [peers, mode, sentence] of TABLE) {
  it(`Home says: ${sentence}`, () => {
    const said = sentencesOf(peers, mode, 1);
    assert.equal(said.map((parts) => parts.map(({ text }) => text).join('')).join('; '), sentence);
    if (peers.length > 0)
      assert.ok(
        said.every((parts) => parts.some(({ to }) => to !== undefined)),
        'each leads to more',
      );
  });
}
