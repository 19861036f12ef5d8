import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startChild } from '../../test/harness/child.ts';
import { startNats } from '../../test/harness/nats.ts';
import type { Scope } from '../../test/harness/scope.ts';
import { until } from '../../test/harness/until.ts';
import { report } from '../report.ts';
import { getJson, quantile } from '../system.ts';
import { putAll } from './put-all.ts';
import { putOf } from './single-puts.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The same change by the least program (least.ts), which ours is compared to: a PUT until two zones have committed it. */
export async function measureFloor(scope: Scope, changes: number): Promise<void> {
  const nats = await startNats(scope);
  const [global = '', ...zones] = await Promise.all(['global', 'zone', 'zone'].map((role) => start(scope, role, nats.url)));
  const times: number[] = [];
  for (let change = 0; change < changes; change++) {
    const put = putOf((change * 37) % 1_000, `v${change + 1}`);
    const started = Date.now();
    await putAll(global, [put], 1);
    const committed = await Promise.all(zones.map((zone) => committedAt(`${zone}${put.path}`, `/sa/v${change + 1}"`)));
    times.push(Math.max(...committed) - started);
  }
  times.sort((a, b) => a - b);
  report('… the least program with HTTP, a durable commit, NATS and a durable commit: median', `${quantile(times, 0.5)} ms`);
  report('… 99th percentile', `${quantile(times, 0.99)} ms`);
}

async function start(scope: Scope, role: string, nats: string): Promise<string> {
  const child = startChild(
    scope,
    process.execPath,
    ['bench/writes/least.ts', role, nats, join(scope.folder(), 'db')],
    { ...process.env },
    ROOT,
  );
  const port = await until('the least program listens', () => Promise.resolve(child.lines.find((line) => /^\d+$/.test(line))));
  return `http://127.0.0.1:${port}`;
}

async function committedAt(url: string, version: string): Promise<number> {
  for (;;) {
    await wait(25);
    const { body, at } = await getJson<{ body?: string; at: number }>(url);
    if (body?.includes(version)) return at;
  }
}
