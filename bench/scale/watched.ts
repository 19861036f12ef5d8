import { readFileSync, writeFileSync } from 'node:fs';
import type { Daemon } from '../../test/harness/daemon.ts';
import { cpuMs } from '../process.ts';

/** What a process used since it was last asked. */
export interface Use {
  /** The most that was resident at once, MB. */
  readonly peakMb: number;
  /** Of one core, percent. */
  readonly cpu: number;
  /** The longest that its event loop was blocked, ms, as the process itself says. */
  readonly blockedMs: number;
}

/** The process looks so often (src/runtime/metrics.ts), which is part of what it says. ms. */
const SAMPLED = 100;

/** Watches a daemon: its memory and CPU by the kernel's figures, its event loop by its metrics. */
export function watchDaemon(daemon: Daemon) {
  let since = { time: performance.now(), cpu: cpuMs(daemon.pid) };
  return {
    /** Begins to measure anew. */
    async reset(): Promise<void> {
      await longestLag(daemon);
      since = { time: performance.now(), cpu: cpuMs(daemon.pid) };
      writeFileSync(`/proc/${daemon.pid}/clear_refs`, '5');
    },
    async use(): Promise<Use> {
      const cpu = ((cpuMs(daemon.pid) - since.cpu) / (performance.now() - since.time)) * 100;
      const status = readFileSync(`/proc/${daemon.pid}/status`, 'utf8');
      return { peakMb: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024, cpu, blockedMs: await longestLag(daemon) };
    },
  };
}

/** Since it was last asked for. */
async function longestLag({ diagnosticsUrl }: Daemon): Promise<number> {
  const text = await (await fetch(`${diagnosticsUrl}/metrics`)).text();
  return Math.max(0, Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]) * 1000 - SAMPLED);
}

/** In words. */
export function told({ peakMb, cpu, blockedMs }: Use): string {
  return `${peakMb.toFixed(0)} MB at most, ${cpu.toFixed(0)} % of a core, blocked for ${blockedMs.toFixed(0)} ms at most`;
}
