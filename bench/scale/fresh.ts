import { setTimeout as wait } from 'node:timers/promises';
import { type Daemon, startDaemon } from '../../test/harness/daemon.ts';
import { startNats } from '../../test/harness/nats.ts';
import type { Scope } from '../../test/harness/scope.ts';
import { until } from '../../test/harness/until.ts';
import { startLight } from '../../test/scale/fleet.ts';
import { report } from '../report.ts';
import { apply, count, policy, quantile } from '../system.ts';
import { told, watchDaemon } from './watched.ts';

const POLICIES = Number(process.env.SCALE_POLICIES ?? '100000');
const MASS = Number(process.env.SCALE_MASS ?? '20000');
const PER_APPLY = 10_000;
const PER_BATCH = 1_000;
const MINUTES = 10 * 60;

/** A fresh zone takes what 100,000 policies are while global serves another one; then 20,000 of them change at once. */
export async function measureFresh(scope: Scope): Promise<void> {
  const nats = await startNats(scope);
  const common = { MERIDIAN_NATS_URL: nats.url };
  const global = await startDaemon(scope, 'global', common);
  for (let from = 0; from < POLICIES; from += PER_APPLY) await apply(global, policies(from, Math.min(PER_APPLY, POLICIES - from), 'v0'));
  report(`${POLICIES} policies at global: it takes`, told(await watchDaemon(global).use()));
  let arrived = '';
  const other = startLight(scope, nats.url, 'other', (_key, wire) => {
    arrived = /ns\/probe\/sa\/(\d+)"/.exec(wire)?.[1] ?? arrived;
  });
  await until('the other zone has all', () => other.holds(), MINUTES);
  const zone = await freshZone(scope, common, global, (version) => until('the probe arrived', () => arrived === version, MINUTES));
  await massChange(global, zone, () => other.applied, MASS, 'v1');
  await massChange(global, zone, () => other.applied, PER_BATCH, 'v2');
}

async function freshZone(
  scope: Scope,
  common: Readonly<Record<string, string>>,
  global: Daemon,
  untilProbe: (version: string) => Promise<unknown>,
): Promise<Daemon> {
  const globals = watchDaemon(global);
  await globals.reset();
  const began = performance.now();
  const zone = await startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'fresh' });
  const zones = watchDaemon(zone);
  const times: number[] = [];
  for (let probe = 0; !(await zone.ready()).ready; probe++) {
    const started = performance.now();
    await apply(global, [{ ...policy(0, String(probe)), name: 'probe', spec: probeSpec(probe) }]);
    await untilProbe(String(probe));
    times.push(performance.now() - started);
    await wait(100);
  }
  report(`a fresh zone has ${POLICIES} policies, from the start of its process`, `${((performance.now() - began) / 1000).toFixed(1)} s`);
  report('… it holds', String(await count(zone)));
  report('… global meanwhile', told(await globals.use()));
  report('… the zone meanwhile', told(await zones.use()));
  times.sort((a, b) => a - b);
  const figures = [0.5, 0.99, 1].map((part) => `${quantile(times, part).toFixed(0)} ms`);
  report(`… a change to another zone meanwhile, ${times.length} times: median, 99 %, max`, figures.join(', '));
  return zone;
}

async function massChange(global: Daemon, zone: Daemon, lightHas: () => number, perApply: number, version: string): Promise<void> {
  const watching = [global, zone].map((daemon) => watchDaemon(daemon));
  for (const watched of watching) await watched.reset();
  const before = lightHas();
  const began = performance.now();
  for (let from = 0; from < MASS; from += perApply) await apply(global, policies(from, perApply, version));
  report(`${MASS} policies change, ${perApply} in an apply: it takes`, `${(performance.now() - began).toFixed(0)} ms`);
  await until('the light zone has them', () => lightHas() - before >= MASS, MINUTES);
  report('… the light zone has them, from the start', `${(performance.now() - began).toFixed(0)} ms`);
  await until('the zone has them', () => isAt(zone, version), MINUTES);
  report('… the real zone has them, from the start', `${(performance.now() - began).toFixed(0)} ms`);
  for (const [index, name] of ['global', 'the zone'].entries()) {
    const watched = watching[index];
    if (!watched) continue;
    report(`… ${name}`, told(await watched.use()));
  }
}

/** Whether the last of them has come. */
async function isAt(zone: Daemon, version: string): Promise<boolean> {
  const response = await fetch(`${zone.url}/meshes/default/meshtrafficpermissions?size=1&name=bulk-${MASS - 1}-`);
  return (await response.text()).includes(`/sa/${version}"`);
}

function policies(from: number, count: number, version: string): object[] {
  return Array.from({ length: count }, (_, index) => policy(from + index, version));
}

function probeSpec(version: number) {
  const value = `spiffe://default/ns/probe/sa/${version}`;
  return { targetRef: { kind: 'Dataplane' }, rules: [{ default: { allow: [{ spiffeID: { type: 'Exact', value } }] } }] };
}
