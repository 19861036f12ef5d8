import { setTimeout as wait } from 'node:timers/promises';
import { availableParallelism, loadavg } from 'node:os';
import type { Daemon } from '../test/harness/daemon.ts';
import { Scope } from '../test/harness/scope.ts';
import { until } from '../test/harness/until.ts';
import { measureAccess } from './access/access.ts';
import { measureAcks } from './enforcement/ack.ts';
import { measureCold } from './enforcement/cold.ts';
import { measureLatency } from './enforcement/latency.ts';
import { measureManyProxies } from './enforcement/many-proxies.ts';
import { cpuMs, residentMb } from './process.ts';
import { measureRbac } from './rbac.ts';
import { report } from './report.ts';
import { measureRequests } from './api/requests.ts';
import { measureThroughput } from './api/throughput.ts';
import { measureScale } from './scale/scale.ts';
import { startHundredThousand } from './start.ts';
import { measureFloor } from './writes/floor.ts';
import { measureKuma } from './writes/kuma.ts';
import { measureMassApply } from './writes/mass-apply.ts';
import { measureSinglePuts } from './writes/single-puts.ts';
import { apply, count, getJson, policy, quantile, startSystem, type BenchSystem } from './system.ts';

/** Measures what the issue promises, on real processes: figures, no verdicts. */

const POLICIES = 5_000;
const CHANGES = 200;

async function bulk({ global, east, west }: BenchSystem): Promise<void> {
  const started = performance.now();
  await apply(
    global,
    Array.from({ length: POLICIES }, (_, index) => policy(index, 'v0')),
  );
  const applied = performance.now();
  await Promise.all([east, west].map((zone) => until('all arrived', async () => (await count(zone)) === POLICIES)));
  report(`${POLICIES} policies in one apply: the apply takes`, `${(applied - started).toFixed(0)} ms`);
  report(`${POLICIES} policies in both zones after the apply's end`, `${(performance.now() - applied).toFixed(0)} ms`);
}

/**
 * From the start of the request at global to the commit in each zone: the zone's modification time, on the same clock,
 * in whole ms. Looking all the time would take the cores from what is measured, so it is read afterwards.
 */
async function changes({ global, east, west }: BenchSystem): Promise<void> {
  const names = await Promise.all([east, west].map((zone) => namesIn(zone)));
  const times: number[] = [];
  for (let change = 0; change < CHANGES; change++) {
    const index = (change * 37) % 1_000;
    const version = `v${change + 1}`;
    const started = Date.now();
    await apply(global, [policy(index, version)]);
    const committed = await Promise.all(
      [east, west].map((zone, which) => committedAt(zone, names[which]?.get(`bulk-${index}`) ?? '', version)),
    );
    times.push(Math.max(...committed) - started);
  }
  times.sort((a, b) => a - b);
  report('one change on global, from the request to the commit in both zones: median', `${quantile(times, 0.5)} ms`);
  report('… 99th percentile', `${quantile(times, 0.99)} ms`);
}

async function namesIn(zone: Daemon): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (let offset = 0; offset < POLICIES; offset += 1_000) {
    const { items } = await getJson<{ items: { name: string; labels: Record<string, string> }[] }>(
      `${zone.url}/meshes/default/meshtrafficpermissions?size=1000&offset=${offset}`,
    );
    for (const { name, labels } of items) names.set(labels['kuma.io/display-name'] ?? '', name);
  }
  return names;
}

async function committedAt(zone: Daemon, name: string, version: string): Promise<number> {
  for (;;) {
    await wait(25);
    const found = await getJson<{ modificationTime: string }>(`${zone.url}/meshes/default/meshtrafficpermissions/${name}`);
    if (JSON.stringify(found).includes(`/sa/${version}"`)) return Date.parse(found.modificationTime);
  }
}

async function idle({ global, east, west }: BenchSystem): Promise<void> {
  const seconds = 20;
  await wait(3_000);
  const before = [global, east, west].map(({ pid }) => cpuMs(pid));
  await wait(seconds * 1_000);
  const used = [global, east, west].map(({ pid }, which) => ((cpuMs(pid) - (before[which] ?? 0)) / (seconds * 1_000)) * 100);
  report(`idle with ${POLICIES} policies, % of one core: global, east, west`, used.map((part) => part.toFixed(2)).join(', '));
  report(
    `resident memory with ${POLICIES} policies, MB: global, east, west`,
    [global, east, west].map(({ pid }) => residentMb(pid).toFixed(0)).join(', '),
  );
}

const PARTS: Readonly<Record<string, (scope: Scope) => Promise<void>>> = {
  async sync(scope) {
    await startHundredThousand(scope, report);
    const system = await startSystem(scope);
    await bulk(system);
    await changes(system);
    await measureFloor(scope, CHANGES);
    await idle(system);
  },
  async writes(scope) {
    await measureSinglePuts(scope);
    await measureKuma(scope);
    await measureMassApply(scope);
  },
  api: measureThroughput,
  async enforcement(scope) {
    measureRbac();
    await measureCold();
    await measureManyProxies();
    await measureAcks(scope);
    await measureLatency(scope);
  },
  access: measureAccess,
  scale: measureScale,
  requests: measureRequests,
};

/** A quarter of an hour: only when it is asked for. */
const LONG = new Set(['scale']);

/** `npm run bench -- enforcement`: a part alone. */
const asked = process.argv.slice(2);
for (const [name, measure] of Object.entries(PARTS)) {
  if (asked.length > 0 ? !asked.includes(name) : LONG.has(name)) continue;
  console.log(`# ${name} (load average ${loadavg()[0]?.toFixed(1)}, ${availableParallelism()} cores)`);
  const scope = new Scope();
  try {
    await measure(scope);
  } finally {
    await scope.close();
  }
}
