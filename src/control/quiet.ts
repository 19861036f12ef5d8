import { Throttle } from '../kds/throttle.js';
import type { Report } from './sync.js';

interface Line {
  readonly level: Parameters<Report>[0];
  readonly event: string;
  readonly details: Parameters<Report>[2];
}

/** A report that a peer can't fill with its warnings. `flush`, called now and then, says what was kept back, with `more`: how many besides. */
export interface Quiet {
  readonly report: Report;
  flush(): void;
}

/** What a peer's messages bring about is throttled by peer and sentence; all else goes through. `now`: monotonic ms. */
export function quiet(report: Report, now: () => number): Quiet {
  const throttle = new Throttle<Line>();
  return {
    report: (level, event, details) => {
      const { peer, code = '' } = details;
      const kind = JSON.stringify([peer, event, code]);
      if (typeof peer !== 'string' || throttle.admits(kind, { level, event, details }, now())) report(level, event, details);
    },
    flush: () => {
      for (const { line, more } of throttle.due(now())) report(line.level, line.event, { ...line.details, more });
    },
  };
}
