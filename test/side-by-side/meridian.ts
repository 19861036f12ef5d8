import { startDaemon } from '../harness/daemon.ts';
import { startNats } from '../harness/nats.ts';
import type { Scope } from '../harness/scope.ts';
import type { PlaneUrls } from './step.ts';

/** Starts Meridian's global and the universal zone `zone-1`. */
export async function startMeridian(scope: Scope): Promise<PlaneUrls> {
  const nats = await startNats(scope);
  const [global, zone] = await Promise.all([
    startDaemon(scope, 'global', { MERIDIAN_NATS_URL: nats.url }),
    startDaemon(scope, 'zone', { MERIDIAN_NATS_URL: nats.url, MERIDIAN_ZONE_NAME: 'zone-1', MERIDIAN_ENVIRONMENT: 'universal' }),
  ]);
  return { global: global.url, zone: zone.url };
}
