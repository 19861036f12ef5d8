import { setTimeout as wait } from 'node:timers/promises';
import type { Scope } from '../../test/harness/scope.ts';
import { NO_KUMA_CP, startKuma } from '../../test/side-by-side/kuma.ts';
import { report } from '../report.ts';
import { getJson, quantile } from '../system.ts';
import { putAll } from './put-all.ts';
import { CLIENTS, POLICIES, putOf } from './single-puts.ts';

const CHANGES = 40;
/** How often the zone is asked: a time is known no better than that. */
const LOOK_MS = 5;
const LIST = '/meshes/default/meshtrafficpermissions';

/**
 * A real Kuma beside ours: a global and one zone, both in memory, so without a commit to a disk. Once with its own
 * intervals, once with shorter ones. Where there is no kuma-cp, that is said.
 */
export async function measureKuma(scope: Scope): Promise<void> {
  if (NO_KUMA_CP !== false) return report("Kuma's times", NO_KUMA_CP);
  for (const refreshInterval of ['1s', '10ms']) {
    const kuma = await startKuma(scope, { refreshInterval, nackBackoff: '1s' });
    await putAll(kuma.global, [{ path: '/meshes/default', document: { type: 'Mesh', name: 'default' } }], 1);
    const times: number[] = [];
    for (let change = 0; change < CHANGES; change++) {
      const started = performance.now();
      await putAll(kuma.global, [putOf(0, `v${change}`)], 1);
      while (!(await getText(`${kuma.zone}${LIST}`)).includes(`/sa/v${change}"`)) await wait(LOOK_MS);
      times.push(performance.now() - started);
    }
    times.sort((a, b) => a - b);
    const name = `a real Kuma that looks each ${refreshInterval}: one change on global until a zone has it`;
    report(name, `median ${quantile(times, 0.5).toFixed(0)} ms, 99th percentile ${quantile(times, 0.99).toFixed(0)} ms`);
    const puts = Array.from({ length: POLICIES }, (_, index) => putOf(index, 'last'));
    const started = performance.now();
    await putAll(kuma.global, puts, CLIENTS);
    const answered = performance.now() - started;
    while ((await getJson<{ total: number }>(`${kuma.zone}${LIST}?size=1`)).total < POLICIES) await wait(20);
    const took = performance.now() - started;
    const rate = (ms: number): string => `${ms.toFixed(0)} ms, ${((POLICIES * 1_000) / ms).toFixed(0)}/s`;
    report(`… ${POLICIES} single PUTs by ${CLIENTS} clients: until all are answered`, rate(answered));
    report('… until the zone has all', rate(took));
  }
}

async function getText(url: string): Promise<string> {
  return (await fetch(url)).text();
}
