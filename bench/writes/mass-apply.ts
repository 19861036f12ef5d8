import type { Scope } from '../../test/harness/scope.ts';
import { until } from '../../test/harness/until.ts';
import { probe } from '../probe.ts';
import { report } from '../report.ts';
import { apply, count, policy, startSystem } from '../system.ts';

const POLICIES = 20_000;

/** Many in one apply, then all of them changed in another: how long `/healthy` takes meanwhile. */
export async function measureMassApply(scope: Scope): Promise<void> {
  const { global, east, west } = await startSystem(scope);
  for (const version of ['v0', 'v1']) {
    const probes = [global, east].map(probe);
    const started = performance.now();
    await apply(
      global,
      Array.from({ length: POLICIES }, (_, index) => policy(index, version)),
    );
    const applied = performance.now() - started;
    await Promise.all([east, west].map((zone) => until('all arrived', async () => (await count(zone)) === POLICIES)));
    const [atGlobal, inEast] = await Promise.all(probes.map((one) => one.stop()));
    report(`${POLICIES} policies in one apply (${version}): answered`, `${applied.toFixed(0)} ms`);
    report('… slowest /healthy meanwhile: global, east', `${atGlobal?.slowest.toFixed(0)}, ${inEast?.slowest.toFixed(0)} ms`);
    report('… most memory: global, east', `${atGlobal?.mostMb.toFixed(0)}, ${inEast?.mostMb.toFixed(0)} MB`);
  }
}
