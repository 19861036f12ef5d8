import { setImmediate } from 'node:timers/promises';
import { simulate } from './run.ts';

/** `hunt.ts FIRST LAST`: prints the first seed that finds something, and what; nothing when none does. */
const [first = 1, last = first] = process.argv.slice(2).map(Number);

for (let seed = first; seed <= last; seed++) {
  const found = problemOf(seed);
  // Node frees the bytes of backups only when it is idle.
  await setImmediate();
  if (found === undefined) continue;
  console.log(`${seed} ${found}`);
  break;
}

/** A fault may also throw. */
function problemOf(seed: number): string | undefined {
  try {
    return simulate(seed).problems[0];
  } catch (thrown) {
    return `throws ${String(thrown)}`;
  }
}
