import { setTimeout as wait } from 'node:timers/promises';
import { startDaemon } from '../../test/harness/daemon.ts';
import { startNats } from '../../test/harness/nats.ts';
import type { Scope } from '../../test/harness/scope.ts';
import { until } from '../../test/harness/until.ts';
import { startLight } from '../../test/scale/fleet.ts';
import { LightZone } from '../../test/scale/light-zone.ts';
import { SlowTransport } from '../../test/scale/slow-transport.ts';
import { report } from '../report.ts';
import { apply, policy, quantile } from '../system.ts';
import { told, watchDaemon } from './watched.ts';

const SECONDS = Number(process.env.SCALE_SECONDS ?? '30');
const CRAWL = 4_000;
const POLICIES = 40;
const PADDING = 'x'.repeat(1_000);

/**
 * Changes of 40 KB, ten a second, while one zone reads 4 KB a second: what that does to global and to another zone;
 * then it reads as it can.
 */
export async function measureSlow(scope: Scope): Promise<void> {
  const nats = await startNats(scope);
  const global = await startDaemon(scope, 'global', { MERIDIAN_NATS_URL: nats.url });
  const times: number[] = [];
  const quick = startLight(scope, nats.url, 'quick', (key, wire) => {
    const sent = /sa\/t(\d+)x/.exec(wire)?.[1];
    if (sent !== undefined && key.name === 'bulk-0') times.push(Date.now() - Number(sent));
  });
  const transport = new SlowTransport(Number(new URL(nats.url).port), 'slow', 1e9);
  const slow = new LightZone('slow', transport);
  scope.add(() => {
    slow.stop();
    transport.close();
  });
  await until('both have what they must', () => quick.holds() && slow.holds());
  const watching = watchDaemon(global);
  for (const speed of [1e9, CRAWL]) {
    transport.bytesPerSecond = speed;
    await watching.reset();
    times.splice(0);
    const began = performance.now();
    for (let change = 0; change < SECONDS * 10; change++) {
      await wait(Math.max(0, began + change * 100 - performance.now()));
      const version = `t${Date.now()}${PADDING}`;
      await apply(
        global,
        Array.from({ length: POLICIES }, (_, index) => policy(index, version)),
      );
    }
    await until('the quick one has all', () => quick.holds()?.digest !== undefined && times.length > 0);
    times.sort((a, b) => a - b);
    const which = speed === CRAWL ? `one zone reads ${CRAWL} bytes a second` : 'all read as they can';
    report(`changes of ${POLICIES} KB, 10 a second for ${SECONDS} s, ${which}: global`, told(await watching.use()));
    report('… from the request to the other zone: median, 99 %', [0.5, 0.99].map((part) => `${quantile(times, part)} ms`).join(', '));
  }
  report('… the server ended the slow connection', `${transport.lost} times`);
  transport.bytesPerSecond = 1e9;
  const began = performance.now();
  await until('the slow one has caught up', () => slow.holds()?.digest === quick.holds()?.digest, 120);
  report('… once it reads as it can, it has caught up after', `${(performance.now() - began).toFixed(0)} ms`);
  report('… its transfers that did not add up', String(slow.mismatches));
}
