import assert from 'node:assert/strict';
import { it } from 'node:test';
import { watchCommits } from './watch-commits.ts';
import { EAST, MESH, newPlane } from '../../../test/harness/control-planes.ts';
import { tryDocuments } from '../../../test/harness/dry-run.ts';
import { writeDrafts } from '../../../test/harness/write-drafts.ts';

it('tells of commits once a turn, whoever makes them, and of none that was rolled back', () => {
  const tasks: (() => void)[] = [];
  const turn = () => {
    for (const task of tasks.splice(0)) task();
  };
  const { plane, onCommit } = watchCommits(newPlane(EAST), (task) => tasks.push(task));
  let [told, again] = [0, 0];
  onCommit(() => {
    told++;
  });
  onCommit(() => {
    again++;
  });
  plane.store.commit((tx) => tx.setSetting('a', 'b'));
  plane.store.commit((tx) => tx.setSetting('a', 'c'));
  assert.equal(told, 0);
  turn();
  assert.deepEqual([told, again], [1, 1]);
  plane.store.commit((tx) => tx.setSetting('a', 'd'));
  turn();
  assert.deepEqual([told, again], [2, 2]);
  assert.throws(() =>
    plane.store.commit(() => {
      throw new Error('no');
    }),
  );
  assert.throws(() => writeDrafts(plane, [{ ...MESH, name: 'Not A Name' }]));
  assert.throws(() => tryDocuments(plane, [{ draft: { ...MESH, name: 'Not A Name' }, problems: [] }]));
  turn();
  assert.equal(told, 2);
  assert.equal(plane.store.setting('a'), 'd');
});
