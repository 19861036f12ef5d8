import { Throttle } from '../../kds/throttle.ts';
import type { Report } from '../../report.ts';

interface ReportLine {
  readonly level: Parameters<Report>[0];
  readonly event: string;
  readonly details: Parameters<Report>[2];
}

/** How many warnings a peer caused, whether they were logged or left out. */
export interface Incident {
  readonly peer: string;
  readonly event: string;
  /** '' where one sentence has no several. */
  readonly code: string;
  readonly count: number;
}

/**
 * The most pairs of peer and sentence that are counted apart. Without credentials anybody on the machine can invent
 * zones. The rest counts for `OTHERS`.
 */
const MOST = 10_000;
const OTHERS = '(others)';

/**
 * A report that a peer can't flood with warnings. `flush` is called from time to time and logs those that were left
 * out; `more`: how many.
 */
export interface ThrottledReport {
  readonly report: Report;
  flush(): void;
  /** Since the start. */
  incidents(): readonly Incident[];
}

/** Throttles reports that a peer's messages cause, by peer and sentence. All others pass. `now`: monotonic ms. */
export function throttledReport(report: Report, now: () => number): ThrottledReport {
  const throttle = new Throttle<ReportLine>();
  const incidents = new Map<string, Incident>();
  function count(peer: string, event: string, code: string): void {
    const kind = JSON.stringify([peer, event, code]);
    const known = incidents.get(kind);
    if (!known && peer !== OTHERS && incidents.size >= MOST) return count(OTHERS, event, code);
    incidents.set(kind, { peer, event, code, count: (known?.count ?? 0) + 1 });
  }
  return {
    report: (level, event, details) => {
      const { peer, code = '' } = details;
      if (typeof peer === 'string' && level !== 'info') count(peer, event, String(code));
      const kind = JSON.stringify([peer, event, code]);
      if (typeof peer !== 'string' || throttle.admits(kind, { level, event, details }, now())) report(level, event, details);
    },
    flush: () => {
      for (const { line, more } of throttle.due(now())) report(line.level, line.event, { ...line.details, more });
    },
    incidents: () => [...incidents.values()],
  };
}
