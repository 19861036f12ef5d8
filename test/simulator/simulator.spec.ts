import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from './run.js';

/** `SIM_SEED=n` reruns one seed and prints what happened; `SIM_RUNS=n` runs more. */
const only = process.env.SIM_SEED;
const runs = Number(process.env.SIM_RUNS ?? '40');
const first = only === undefined ? 1 : Number(only);
const last = only === undefined ? runs : first;

test(`simulated systems converge, seeds ${first} to ${last}`, () => {
  for (let seed = first; seed <= last; seed++) {
    const { problems, journal } = simulate(seed);
    if (only !== undefined) console.log(journal.join('\n'));
    assert.deepEqual(problems, [], `seed ${seed}: rerun it with SIM_SEED=${seed}`);
  }
});

test('a seed replays exactly', () => {
  assert.deepEqual(simulate(7), simulate(7));
});
