import { setImmediate } from 'node:timers/promises';
import { simulate } from './run.ts';

/**
 * `long.ts FIRST LAST`: runs all of these seeds, whatever they find. Prints `SEED PROBLEMS` for each that finds
 * something, as it is found, and how far it is every 500 seeds. Nothing is kept in memory. Exits with 1 if anything was
 * found.
 */
const [first = 1, last = first] = process.argv.slice(2).map(Number);
const EVERY = 500;
let failing = 0;

for (let seed = first; seed <= last; seed++) {
  const problems = problemsOf(seed);
  // Node frees the bytes of backups only when it is idle.
  await setImmediate();
  if (problems.length > 0) {
    failing += 1;
    console.log(`${seed} FAILS ${JSON.stringify(problems.slice(0, 10))}`);
  }
  if ((seed - first + 1) % EVERY === 0 || seed === last)
    console.log(
      `${new Date().toISOString()} seeds ${first} to ${seed} done, ${failing} failing, ${Math.round(process.memoryUsage.rss() / 1e6)} MB`,
    );
}
process.exitCode = failing > 0 ? 1 : 0;

/** A fault may also throw. */
function problemsOf(seed: number): readonly string[] {
  try {
    return simulate(seed).problems;
  } catch (thrown) {
    return [`throws ${thrown instanceof Error ? thrown.stack : String(thrown)}`];
  }
}
