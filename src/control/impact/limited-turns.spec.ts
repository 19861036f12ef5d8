import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inLimitedTurns } from './limited-turns.ts';
import type { Parts } from '../../resource/store/parts.ts';

/** Steps of `took` ms each on a clock of their own, and what became of them. */
function work(count: number, took: number) {
  const state = { now: 0, steps: 0, turns: 0, charged: 0, ended: false };
  const gone = new AbortController();
  function* steps(): Parts<void> {
    try {
      for (; state.steps < count; state.steps += 1) {
        state.now += took;
        yield;
      }
    } finally {
      state.ended = true;
    }
  }
  const nextTurn = async () => void (state.turns += 1);
  const charge = (ms: number) => void (state.charged += ms);
  return {
    state,
    gone,
    run: async () => (await inLimitedTurns(steps(), 10_000, { now: () => state.now, nextTurn, gone: gone.signal, charge })) !== undefined,
  };
}

describe('work in turns', () => {
  it('gives the loop a turn every ten milliseconds, and charges each', async () => {
    const { state, run } = work(1_000, 1);
    assert.equal(await run(), true);
    assert.deepEqual(state, { now: 1_000, steps: 1_000, turns: 100, charged: 1_000, ended: true });
  });

  it('takes a step that is longer alone', async () => {
    const { state, run } = work(5, 40);
    assert.equal(await run(), true);
    assert.equal(state.turns, 5);
  });

  it('ends at its limit, and says that it is not complete', async () => {
    const { state, run } = work(1_000_000, 1);
    assert.equal(await run(), false);
    assert.deepEqual([state.steps < 10_010, state.charged, state.ended], [true, 10_000, true]);
  });

  it('ends when nobody waits for it any more', async () => {
    const { state, gone, run } = work(1_000, 1);
    const running = run();
    gone.abort();
    assert.equal(await running, false);
    assert.deepEqual([state.steps < 20, state.ended], [true, true]);
  });
});
