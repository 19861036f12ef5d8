import { randomBytes } from 'node:crypto';
import type { ZoneAccess } from '../../src/api/api-options.ts';
import { createAccessViews } from '../../src/control/access/access-view.ts';
import { CallConnector } from '../../src/control/access/connect-caller.ts';
import { type ExchangeMachine, ZoneExchange } from '../../src/control/access/zone-exchange.ts';
import type { Plane } from '../../src/control/plane/plane.ts';
import type { ZoneLanes } from '../../src/kds/access/zone-lanes.ts';

/** A clock that a test moves, and what becomes due by it. */
export interface TestClock extends ExchangeMachine {
  advance(milliseconds: number): void;
}

export function testClock(): TestClock {
  let now = 1_000;
  const tasks = new Map<() => void, number>();
  return {
    now: () => now,
    id: () => randomBytes(16).toString('hex'),
    secret: () => randomBytes(32).toString('base64url'),
    after: (milliseconds, task) => {
      tasks.set(task, now + milliseconds);
      return () => tasks.delete(task);
    },
    advance(milliseconds) {
      now += milliseconds;
      for (const [task, at] of tasks) if (at <= now && tasks.delete(task)) task();
    },
  };
}

export type TestZoneAccess = ZoneAccess & { readonly exchange: ZoneExchange };

/** A zone's part in calls from zone to zone; without lanes it stands alone. */
export function zoneAccessOf(
  plane: Plane,
  { lanes, machine = testClock(), log = [] }: { lanes?: ZoneLanes; machine?: ExchangeMachine; log?: unknown[] } = {},
): TestZoneAccess {
  const views = createAccessViews(plane);
  const report = (...line: unknown[]) => void log.push(line);
  const exchange = new ZoneExchange({ plane, views, hasGlobal: lanes !== undefined, lanes, machine, report });
  return { views, exchange, connector: new CallConnector(exchange, () => 0) };
}
