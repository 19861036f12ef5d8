import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median, report } from '../report.js';

const STARTS = 9;

/** Times in processes that have compiled nothing before. */
export function measureCold(): Promise<void> {
  const program = fileURLToPath(new URL('./cold-start.ts', import.meta.url));
  const runs = Array.from(
    { length: STARTS },
    () => JSON.parse(execFileSync(process.execPath, ['--import', 'tsx', program], { encoding: 'utf8' })) as Record<string, number>,
  );
  for (const what of Object.keys(runs[0] ?? {})) {
    const times = runs.map((run) => run[what] ?? Number.NaN);
    report(what, `${median(times).toFixed(1)} ms, at best ${Math.min(...times).toFixed(1)} ms`);
  }
  return Promise.resolve();
}
