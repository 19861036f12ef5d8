import assert from 'node:assert/strict';
import { it } from 'node:test';
import { EAST, endOf, forAll, keyOf, newGlobal } from '../../../test/harness/control-planes.ts';
import type { Position } from '../../resource/store/store.ts';
import { lateAt } from './late-changes.ts';
import { deleteResource, writeDrafts } from '../../../test/harness/write-drafts.ts';

it('counts what changed for a peer since its last word, each resource once, and all of it in doubt', () => {
  const global = newGlobal(EAST);
  const { store } = global;
  writeDrafts(global, [forAll('a'), forAll('b')]);
  const before = endOf(global, 'east');
  const late = (position: Position | undefined): number =>
    lateAt(store, { peer: 'east', head: endOf(global, 'east'), ack: { position, refusals: '' } });
  assert.equal(late(before), 0);
  writeDrafts(global, [forAll('c')]);
  assert.equal(late(before), 1);
  writeDrafts(global, [forAll('c', { labels: { x: 'y' } })]);
  assert.equal(late(before), 1);
  deleteResource(global, keyOf(forAll('a'), ''));
  assert.equal(late(before), 2);
  const head = endOf(global, 'east');
  assert.equal(late(head), 0);
  for (const unsure of [undefined, { ...before, term: 9 }, { ...before, store: 'ff' }]) assert.equal(late(unsure), head.count);
});
