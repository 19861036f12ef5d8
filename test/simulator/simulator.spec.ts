import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { simulate } from './run.ts';

/**
 * `SIM_SEED=n` reruns one seed and prints what happened; `SIM_RUNS=n` runs more, from SIM_SEED on. Hundreds of
 * thousands: long.ts.
 */
const { SIM_SEED, SIM_RUNS } = process.env;
const first = Number(SIM_SEED ?? '1');
const runs = Number(SIM_RUNS ?? (SIM_SEED === undefined ? '40' : '1'));
const last = first + runs - 1;
const prints = SIM_SEED !== undefined && SIM_RUNS === undefined;

test(`simulated systems converge, seeds ${first} to ${last}`, async () => {
  for (let seed = first; seed <= last; seed++) {
    const { problems, journal } = simulate(seed);
    if (prints) console.log(journal.join('\n'));
    assert.deepEqual(problems, [], `seed ${seed}: rerun it with SIM_SEED=${seed}`);
    // Node frees the bytes of backups only when it is idle.
    await setImmediate();
  }
});

test('a seed replays exactly', () => {
  assert.deepEqual(simulate(7), simulate(7));
});
