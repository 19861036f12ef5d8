import { setTimeout as wait } from 'node:timers/promises';
import type { Scope } from '../../test/harness/scope.ts';
import { cpuMs } from '../process.ts';
import { report } from '../report.ts';
import { apply, quantile } from '../system.ts';
import { committedAt, dataplane, identity, permission, type EnforcingSite, startSite } from './site.ts';

const DATAPLANES = 1_000;
const CHANGES = 200;
/** ms. */
const PAUSE = 50;

/**
 * From a permission's commit in its zone to the moment when Envoy has taken it and acknowledges it: Envoy's own
 * `update_time`, on the same clock, in whole ms, as the time that stands on the commit.
 */
export async function measureAcks(scope: Scope): Promise<void> {
  const site = await startSite(scope, ['web']);
  const inbound = [{ port: 8080, tags: { 'kuma.io/service': 'other', 'kuma.io/protocol': 'http' } }];
  await apply(
    site.east,
    Array.from({ length: DATAPLANES }, (_, index) => dataplane(`other-${index}`, inbound)),
  );
  let there = 0;
  for (const policies of [1, 100, 1_000]) {
    const added = Array.from({ length: policies - there }, (_, index) => one(there + index, 'v0'));
    await apply(site.east, added);
    there = policies;
    await wait(1_000);
    const times: number[] = [];
    const pids = [site.east.pid, site.envoy.pid];
    const used = pids.map(cpuMs);
    for (let change = 0; change < CHANGES; change++) times.push(await timeOf(site, (change * 37) % policies, `${policies}-${change}`));
    times.sort((a, b) => a - b);
    const [zone, envoy] = pids.map((pid, which) => ((cpuMs(pid) - (used[which] ?? 0)) / CHANGES).toFixed(1));
    const figure = `${quantile(times, 0.5)} ms, 90th percentile ${quantile(times, 0.9)} ms`;
    report(`commit to Envoy's ack, ${policies} permissions, ${DATAPLANES} other Dataplanes: median of ${CHANGES}`, figure);
    report('… CPU time of the zone and of Envoy for one, with what this program asks of them', `${zone} ms, ${envoy} ms`);
  }
}

function one(index: number, version: string): object {
  return permission(`p-${index}`, [identity(`client-${index}-${version}`)], { kind: 'Mesh' });
}

async function timeOf(site: EnforcingSite, index: number, version: string): Promise<number> {
  const before = await updated(site);
  await apply(site.east, [one(index, version)]);
  let after = before;
  // Its administration runs on the thread that takes updates: it is not asked while it should do that.
  while (after === before) {
    await wait(PAUSE);
    after = await updated(site);
  }
  return after - (await committedAt(site.east, `p-${index}`));
}

async function updated({ envoy }: EnforcingSite): Promise<number> {
  const text = await envoy.admin('/stats?filter=extension_config_discovery.*update_time');
  return Number(/update_time: (\d+)/.exec(text)?.[1] ?? 0);
}
