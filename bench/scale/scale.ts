import { loadavg } from 'node:os';
import { Scope } from '../../test/harness/scope.ts';
import { report } from '../report.ts';
import { measureFleet } from './fleet.ts';
import { measureFresh } from './fresh.ts';
import { measureMixed } from './mixed.ts';
import { measurePeers } from './peers.ts';
import { measureSlow } from './slow.ts';

const PARTS = { fleet: measureFleet, mixed: measureMixed, fresh: measureFresh, slow: measureSlow, peers: measurePeers };

/**
 * Many zones, many policies, and zones that are slow. `SCALE_PARTS=fleet,slow`: only these; `SCALE_ZONES`,
 * `SCALE_PROCESSES`, `SCALE_POLICIES`, `SCALE_MASS` and `SCALE_SECONDS` make it smaller.
 */
export async function measureScale(): Promise<void> {
  const asked = process.env.SCALE_PARTS?.split(',') ?? Object.keys(PARTS);
  for (const [name, measure] of Object.entries(PARTS)) {
    if (!asked.includes(name)) continue;
    report(`## ${name}: load average`, loadavg()[0]?.toFixed(1) ?? '');
    const scope = new Scope();
    try {
      await measure(scope);
    } finally {
      await scope.close();
    }
  }
}
