import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startChild } from '../../test/harness/child.ts';
import { type Daemon, startDaemon } from '../../test/harness/daemon.ts';
import { startNats } from '../../test/harness/nats.ts';
import type { Scope } from '../../test/harness/scope.ts';
import { until } from '../../test/harness/until.ts';
import { report } from '../report.ts';
import { apply, policy, quantile } from '../system.ts';
import { type Figures, load } from './load.ts';

const ITEMS = 100;
const AT_ONCE = 100;
const SECONDS = 5;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** `ITEMS` policies, listed by `AT_ONCE` clients at once: at rest, while somebody writes, and beside a bare Fastify. */
export async function measureThroughput(scope: Scope): Promise<void> {
  const nats = await startNats(scope);
  const global = await startDaemon(scope, 'global', { MERIDIAN_NATS_URL: nats.url });
  await global.untilReady();
  await apply(
    global,
    Array.from({ length: ITEMS }, (_, index) => policy(index, 'v0')),
  );
  const list = `${global.url}/meshes/default/meshtrafficpermissions?size=${ITEMS}`;
  await load(list, AT_ONCE, 2, global.pid);
  const atRest = await load(list, AT_ONCE, SECONDS, global.pid);
  told(`a list of ${ITEMS}, ${AT_ONCE} clients at once`, atRest);
  told('… while one of them changes 10 times a second', await whileWritten(global, () => load(list, AT_ONCE, SECONDS, global.pid)));
  await load(`${global.url}/meshes/default/meshtrafficpermissions/bulk-1`, AT_ONCE, 1, global.pid);
  told('one policy', await load(`${global.url}/meshes/default/meshtrafficpermissions/bulk-1`, AT_ONCE, SECONDS, global.pid));
  await bare(scope, atRest.bytes);
}

/** Each change makes the server render the list anew. */
async function whileWritten<T>(global: Daemon, measure: () => Promise<T>): Promise<T> {
  const state = { over: false };
  const writing = (async () => {
    for (let version = 1; !state.over; version++) {
      await apply(global, [policy(0, `v${version}`)]);
      await wait(100);
    }
  })();
  const measured = await measure();
  state.over = true;
  await writing;
  return measured;
}

function told(what: string, { perSecond, latencies, bytes, serverMicros }: Figures): void {
  const [half, most] = [0.5, 0.99].map((part) => quantile(latencies, part).toFixed(1));
  const said = `${perSecond.toFixed(0)}/s, ${half} ms (99 %: ${most} ms), server CPU ${serverMicros.toFixed(0)} µs each`;
  report(`${what}, ${bytes} bytes`, said);
}

async function bare(scope: Scope, bytes: number): Promise<void> {
  const child = startChild(scope, process.execPath, ['bench/api/raw.ts', String(bytes)], { ...process.env }, ROOT);
  const port = await until('the bare server listens', () => Promise.resolve(child.lines.find((line) => /^\d+$/.test(line))));
  await load(`http://127.0.0.1:${port}/`, AT_ONCE, 2, child.pid);
  told('the same from a bare Fastify', await load(`http://127.0.0.1:${port}/`, AT_ONCE, SECONDS, child.pid));
}
