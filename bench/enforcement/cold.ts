import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median, report } from '../report.ts';

const STARTS = 9;

/** Times in processes that have compiled nothing before. */
export function measureCold(): Promise<void> {
  const program = fileURLToPath(new URL('./cold-start.ts', import.meta.url));
  const runs = Array.from(
    { length: STARTS },
    () =>
      JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8' })) as Record<string, readonly [ms: number, onCore: number]>,
  );
  for (const what of Object.keys(runs[0] ?? {})) {
    const [times, onCore] = [0, 1].map((which) => runs.map((run) => run[what]?.[which] ?? Number.NaN)) as [number[], number[]];
    report(
      what,
      `${median(times).toFixed(1)} ms, of it ${median(onCore).toFixed(1)} ms on a core; at best ${Math.min(...times).toFixed(1)} ms`,
    );
  }
  return Promise.resolve();
}
