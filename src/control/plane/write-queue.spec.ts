import assert from 'node:assert/strict';
import { it } from 'node:test';
import { EAST, newPlane } from '../../../test/harness/control-planes.ts';
import { key, resource } from '../../../test/harness/sample-store.ts';
import { MeridianError } from '../../errors.ts';
import { OTHERS } from '../../resource/audience.ts';
import type { Store, Transaction } from '../../resource/store/store.ts';
import { watchCommits } from './watch-commits.ts';
import { MOST_BODIES, MOST_WRITTEN } from './write-queue.ts';

/** A plane whose commits are counted, with the tasks of its next turn. */
function counted() {
  const tasks: (() => void)[] = [];
  const plane = newPlane(EAST);
  const commits: number[] = [];
  const disk = { full: false };
  const commitEach: Store['commitEach'] = (bodies) => {
    if (disk.full) throw new MeridianError('unavailable', 'the disk is full');
    commits.push(bodies.length);
    return plane.store.commitEach(bodies);
  };
  const watched = watchCommits({ ...plane, store: { ...plane.store, commitEach } }, (task) => tasks.push(task));
  const turn = () => {
    for (const task of tasks.splice(0)) task();
  };
  return { ...watched, commits, disk, turn };
}

const put = (name: string) => (tx: Transaction) => {
  tx.put(resource(key(name)), OTHERS, name);
  return tx.revision;
};

it('commits what arrives in one turn at once, in order, each with a revision and an outcome of its own', async () => {
  const { plane, writes, commits, turn, onCommit } = counted();
  let told = 0;
  onCommit(() => told++);
  const boom = new Error('boom');
  const all = Promise.allSettled([
    writes.write(put('a')),
    writes.write((tx) => {
      put('b')(tx);
      throw boom;
    }),
    writes.write((tx) => [tx.get(key('a'))?.revision, tx.get(key('b')), put('c')(tx)]),
  ]);
  assert.deepEqual([commits, plane.store.head().revision], [[], 0]);
  turn();
  assert.deepEqual([commits, plane.store.head().revision], [[3], 2]);
  const [a, b, c] = await all;
  assert.deepEqual(a, { status: 'fulfilled', value: 1 });
  assert.deepEqual(b, { status: 'rejected', reason: boom });
  assert.deepEqual(c, { status: 'fulfilled', value: [1, undefined, 2] });
  assert.deepEqual(plane.touched?.(0), [key('a'), key('c')]);
  turn();
  assert.equal(told, 1);
});

it('takes so many at a time; what arrives meanwhile comes behind them', async () => {
  const { writes, commits, turn } = counted();
  const all = Array.from({ length: MOST_BODIES + 1 }, (_, n) => writes.write(put(`n${n}`)));
  turn();
  all.push(writes.write(put('late')));
  turn();
  turn();
  assert.deepEqual(commits, [MOST_BODIES, 2]);
  assert.deepEqual(
    await Promise.all(all),
    all.map((_, index) => index + 1),
  );
  all.push(writes.write(put('last')));
  turn();
  assert.deepEqual([commits, await all.at(-1)], [[MOST_BODIES, 2, 1], MOST_BODIES + 3]);
});

it('counts what bodies write: many large ones are several commits, and one beyond the bound is one alone', async () => {
  const { writes, commits, turn } = counted();
  const sizes = [MOST_WRITTEN / 2, MOST_WRITTEN / 2, 1, MOST_WRITTEN * 2, 1, 1];
  const all = sizes.map((size, n) => writes.write(put(`n${n}`), size));
  for (let turns = 0; turns < 4; turns++) turn();
  assert.deepEqual(commits, [2, 1, 1, 2]);
  assert.deepEqual(await Promise.all(all), [1, 2, 3, 4, 5, 6]);
});

it('rejects all that were to be committed together when the store takes nothing, and goes on with the next', async () => {
  const { plane, writes, disk, turn } = counted();
  disk.full = true;
  const failed = Promise.allSettled([writes.write(put('a')), writes.write(put('b'))]);
  turn();
  const reasons = (await failed).map((one) => (one.status === 'rejected' ? one.reason.code : one.value));
  assert.deepEqual([reasons, plane.touched?.(0)], [['unavailable', 'unavailable'], []]);
  disk.full = false;
  const next = writes.write(put('a'));
  turn();
  assert.deepEqual([await next, plane.touched?.(0)], [1, [key('a')]]);
});
