import { readFileSync, writeFileSync } from 'node:fs';
import type { Daemon } from '../../test/harness/daemon.js';
import { cpuMs } from '../process.js';

/** What a process used since it was last asked. */
export interface Use {
  /** The most that was resident at once, MB. */
  readonly peakMb: number;
  /** Of one core, percent. */
  readonly cpu: number;
  /** The longest that /healthy took to answer, ms: how long the event loop was blocked. */
  readonly blockedMs: number;
}

const PROBE = 20;

/** Watches a daemon: its memory and CPU from the kernel's figures, its event loop by asking it 50 times a second. */
export function watchDaemon(daemon: Daemon, probing = true) {
  let since = { time: performance.now(), cpu: cpuMs(daemon.pid) };
  let blockedMs = 0;
  let ended = false;
  const probe = async (): Promise<void> => {
    while (!ended) {
      const asked = performance.now();
      await fetch(`${daemon.diagnosticsUrl}/healthy`).then(
        (response) => response.text(),
        () => {},
      );
      blockedMs = Math.max(blockedMs, performance.now() - asked);
      await new Promise((resolve) => setTimeout(resolve, PROBE));
    }
  };
  const probed = probing ? probe() : Promise.resolve();
  return {
    /** Begins to measure anew. */
    reset(): void {
      since = { time: performance.now(), cpu: cpuMs(daemon.pid) };
      blockedMs = 0;
      writeFileSync(`/proc/${daemon.pid}/clear_refs`, '5');
    },
    use(): Use {
      const cpu = ((cpuMs(daemon.pid) - since.cpu) / (performance.now() - since.time)) * 100;
      const status = readFileSync(`/proc/${daemon.pid}/status`, 'utf8');
      return { peakMb: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024, cpu, blockedMs };
    },
    async stop(): Promise<void> {
      ended = true;
      await probed;
    },
  };
}

/** In words. */
export function told({ peakMb, cpu, blockedMs }: Use): string {
  return `${peakMb.toFixed(0)} MB at most, ${cpu.toFixed(0)} % of a core, not answering for ${blockedMs.toFixed(0)} ms at most`;
}
