import { randomBytes } from 'node:crypto';
import type { ZoneAccess } from '../src/api/api-options.ts';
import { createAccessViews } from '../src/control/access/access-view.ts';
import { CallConnector } from '../src/control/access/connect-caller.ts';
import { ZoneExchange } from '../src/control/access/zone-exchange.ts';
import type { Plane } from '../src/control/plane/plane.ts';
import type { NatsTransport } from '../src/nats/nats-transport.ts';
import type { DaemonContext } from './daemon.ts';

/** How often what is over is forgotten, and what was left out of the log is said. ms */
const TICK = 1_000;

/** A zone's part in calls from zone to zone. Before the transport is started, so that nothing is missed. */
export function startZoneAccess({ supervisor, report }: DaemonContext, plane: Plane, lanes: NatsTransport | undefined) {
  const views = createAccessViews(plane);
  const machine = {
    now: () => performance.now(),
    id: () => randomBytes(16).toString('hex'),
    secret: () => randomBytes(32).toString('base64url'),
    after: (milliseconds: number, task: () => void) => {
      const timer = setTimeout(task, milliseconds).unref();
      return () => clearTimeout(timer);
    },
  };
  const exchange = new ZoneExchange({ plane, views, hasGlobal: lanes !== undefined, lanes, machine, report: report('access') });
  const ticking = setInterval(() => exchange.tick(), TICK).unref();
  supervisor.onStop('access', () => {
    clearInterval(ticking);
    exchange.stop();
  });
  return { views, exchange, connector: new CallConnector(exchange, Math.random) } satisfies ZoneAccess;
}
