import { setTimeout as wait } from 'node:timers/promises';
import type { Daemon } from '../../test/harness/daemon.ts';
import type { Scope } from '../../test/harness/scope.ts';
import { cpuMs } from '../process.ts';
import { report } from '../report.ts';
import { count, policy, startSystem } from '../system.ts';
import { putAll } from './put-all.ts';

export const POLICIES = 5_000;
export const CLIENTS = 8;

/** Single PUTs at global by several clients at once, until both zones have all. */
export async function measureSinglePuts(scope: Scope): Promise<void> {
  const { global, east, west } = await startSystem(scope);
  const daemons = [global, east, west];
  const puts = Array.from({ length: POLICIES }, (_, index) => putOf(index, 'v0'));
  const before = daemons.map(({ pid }) => cpuMs(pid));
  const started = performance.now();
  await putAll(global.url, puts, CLIENTS);
  const answered = performance.now() - started;
  await Promise.all([east, west].map((zone) => arrived(zone)));
  const took = performance.now() - started;
  const used = daemons.map(({ pid }, which) => ((cpuMs(pid) - (before[which] ?? 0)) * 1_000) / POLICIES);
  const rate = (ms: number): string => `${((POLICIES * 1_000) / ms).toFixed(0)}/s`;
  report(`${POLICIES} single PUTs by ${CLIENTS} clients: until all are answered`, `${answered.toFixed(0)} ms, ${rate(answered)}`);
  report('… until both zones have all', `${took.toFixed(0)} ms, ${rate(took)}`);
  report('… CPU for each: global, east, west', used.map((micros) => `${micros.toFixed(0)} µs`).join(', '));
}

export function putOf(index: number, version: string) {
  const document = policy(index, version);
  return { path: `/meshes/default/meshtrafficpermissions/${document.name}`, document };
}

async function arrived(zone: Daemon): Promise<void> {
  while ((await count(zone)) < POLICIES) await wait(20);
}
