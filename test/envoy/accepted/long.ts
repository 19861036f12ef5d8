import { Scope } from '../../harness/scope.ts';
import { type Counts, openStage, play, type Stage } from './play.ts';

/**
 * `long.ts DOCUMENTS [SEED]`: plays batches until so many documents were accepted. Prints each seed that fails, as it
 * fails, and how far it is every 5 batches; a fresh Envoy follows a failure. Exits with 1 if anything failed.
 * `MERIDIAN_ACCEPTED_SEED=n npm test -- accepted` plays one again.
 */
const [wanted = 100_000, first = 1] = process.argv.slice(2).map(Number);
const REQUESTS = 40;
const CHANGES = 16;
const EVERY = 5;

const total: Counts = { documents: 0, accepted: 0, listeners: 0, shut: 0, allowed: 0, denied: 0 };
let failing = 0;
let scope = new Scope();
let stage: Stage = await openStage(scope);

for (let seed = first; total.accepted < wanted && failing < 20; seed++) {
  try {
    const counts = await play(stage, seed, REQUESTS, CHANGES);
    for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += counts[key];
  } catch (thrown) {
    failing += 1;
    console.log(`${seed} FAILS ${thrown instanceof Error ? thrown.message.slice(0, 3000) : String(thrown)}`);
    await scope.close();
    scope = new Scope();
    stage = await openStage(scope);
  }
  if ((seed - first + 1) % EVERY === 0)
    console.log(`${new Date().toISOString()} seeds ${first} to ${seed}, ${failing} failing, ${JSON.stringify(total)}`);
}
console.log(`${new Date().toISOString()} done, ${failing} failing, ${JSON.stringify(total)}`);
await scope.close();
process.exitCode = failing > 0 ? 1 : 0;
