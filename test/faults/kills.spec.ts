import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Scope } from '../harness/scope.ts';
import { campaign } from './kills.ts';

/** FAULT_KILLS=200 is the long form, FAULT_SEED another one of its kind. */
const KILLS = Number(process.env.FAULT_KILLS ?? 6);
const SEED = Number(process.env.FAULT_SEED ?? 1);

const scope = new Scope();
after(() => scope.close());

test(`${KILLS} kills of global, zones and NATS: no acknowledged write is lost, no store damaged, all comes into step`, async (t) => {
  const { outcomes, acknowledged } = await campaign(scope, KILLS, SEED);
  assert.equal(outcomes.length, KILLS);
  assert.ok(acknowledged > KILLS, 'there were writes');
  const startUp = spread(outcomes.map(({ start }) => start));
  const convergence = spread(outcomes.map(({ converge }) => converge));
  t.diagnostic(`seed ${SEED}: ${acknowledged} acknowledged writes; started again within ${startUp}; in step ${convergence} later`);
  if (process.env.FAULT_SHOW === 'true') for (const outcome of outcomes) t.diagnostic(JSON.stringify(outcome));
});

/** ms in; `0.31 s (median), 0.80 s (95 %), 1.20 s (max)`. */
function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): string => ((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) / 1000).toFixed(2);
  return `${at(0.5)} s (median), ${at(0.95)} s (95 %), ${at(1)} s (max)`;
}
