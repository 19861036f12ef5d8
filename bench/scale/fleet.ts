import { setTimeout as wait } from 'node:timers/promises';
import { startDaemon } from '../../test/harness/daemon.ts';
import { startNats } from '../../test/harness/nats.ts';
import type { Scope } from '../../test/harness/scope.ts';
import { until } from '../../test/harness/until.ts';
import { startFleet } from '../../test/scale/fleet.ts';
import type { LightZone } from '../../test/scale/light-zone.ts';
import { report } from '../report.ts';
import { apply, policy, quantile } from '../system.ts';
import { told, watchDaemon } from './watched.ts';

const ZONES = Number(process.env.SCALE_ZONES ?? '1000');
const SECONDS = Number(process.env.SCALE_SECONDS ?? '30');
const PER_SECOND = 10;
const POLICIES = 100;

/** Many zones as light clients, and changes at global: when each zone has each. */
export async function measureFleet(scope: Scope): Promise<void> {
  const nats = await startNats(scope);
  const global = await startDaemon(scope, 'global', { MERIDIAN_NATS_URL: nats.url });
  const times: number[] = [];
  const latest = { sent: 0, arrived: 0 };
  const zones = startFleet(scope, nats.url, ZONES, (_key, wire) => {
    const sent = Number(/sa\/t(\d+)"/.exec(wire)?.[1] ?? Number.NaN);
    if (sent > 0) times.push(Date.now() - sent);
    if (sent === latest.sent) latest.arrived += 1;
  });
  const began = performance.now();
  const watching = watchDaemon(global);
  await until('all zones are there', () => zones.every((zone) => zone.holds()), 300);
  report(`${ZONES} light zones connect and have what they must`, `${(performance.now() - began).toFixed(0)} ms`);
  report('… global meanwhile', told(await watching.use()));
  await wait(10_000);
  await watching.reset();
  await wait(10_000);
  report('… global, when nothing changes', told(await watching.use()));
  await watching.reset();
  const applies: number[] = [];
  for (let change = 0, next = performance.now(); change < SECONDS * PER_SECOND; change++, next += 1000 / PER_SECOND) {
    await wait(Math.max(0, next - performance.now()));
    const started = Math.max(Date.now(), latest.sent + 1);
    Object.assign(latest, { sent: started, arrived: 0 });
    await apply(global, [policy(change % POLICIES, `t${started}`)]);
    applies.push(Date.now() - started);
  }
  report(`${PER_SECOND} changes a second for ${SECONDS} s: global`, told(await watching.use()));
  const ended = performance.now();
  await until('all zones have the last change, and the same', () => latest.arrived === ZONES && isSame(zones), 300);
  report('… from the last change until all zones have everything', `${(performance.now() - ended).toFixed(0)} ms`);
  times.sort((a, b) => a - b);
  applies.sort((a, b) => a - b);
  report('… an apply takes: median, 99 %, max', [0.5, 0.99, 1].map((part) => `${quantile(applies, part)} ms`).join(', '));
  report(
    `… from the request to a zone, ${times.length} times: median, 99 %, max`,
    [0.5, 0.99, 1].map((part) => `${quantile(times, part)} ms`).join(', '),
  );
  report('… transfers that did not add up', String(zones.reduce((sum, zone) => sum + zone.mismatches, 0)));
}

function isSame(zones: readonly LightZone[]): boolean {
  return new Set(zones.map((zone) => JSON.stringify(zone.holds()))).size === 1;
}
