import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Daemon } from '../test/harness/daemon.ts';
import { residentMb } from './process.ts';

/** How often `/healthy` is asked, in ms. */
const EVERY = 50;

/** Asks a daemon's `/healthy` until `stop`, which gives the slowest answer (ms) and the most memory (MB). */
export function probe({ diagnosticsUrl, pid }: Daemon) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const state = { over: false, slowest: 0, mostMb: 0 };
  const asking: Promise<void>[] = [];
  const loop = (async () => {
    while (!state.over) {
      asking.push(
        answered(`${diagnosticsUrl}/healthy`, agent).then((took) => {
          state.slowest = Math.max(state.slowest, took);
        }),
      );
      state.mostMb = Math.max(state.mostMb, residentMb(pid));
      await wait(EVERY);
    }
  })();
  return {
    async stop() {
      await wait(2 * EVERY);
      state.over = true;
      await loop;
      await Promise.all(asking);
      agent.destroy();
      return state;
    },
  };
}

function answered(url: string, agent: Agent): Promise<number> {
  const started = performance.now();
  return new Promise((resolve) => {
    const done = () => resolve(performance.now() - started);
    get(url, { agent }, (response) => response.resume().on('end', done)).on('error', done);
  });
}
