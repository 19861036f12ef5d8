import { startDaemon } from '../harness/daemon.js';
import { startNats } from '../harness/nats.js';
import type { Scope } from '../harness/scope.js';
import type { Pair } from './step.js';

/** Starts Meridian's global and the universal zone `zone-1`. */
export async function startMeridian(scope: Scope): Promise<Pair> {
  const nats = await startNats(scope);
  const [global, zone] = await Promise.all([
    startDaemon(scope, 'global', { MERIDIAN_NATS_URL: nats.url }),
    startDaemon(scope, 'zone', { MERIDIAN_NATS_URL: nats.url, MERIDIAN_ZONE_NAME: 'zone-1', MERIDIAN_ENVIRONMENT: 'universal' }),
  ]);
  return { global: global.url, zone: zone.url };
}
