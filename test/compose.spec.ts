import { describe, it } from 'node:test';
import { startProcesses } from '../compose/processes.ts';
import * as denyByDefault from '../compose/deny-by-default/scenario.ts';
import * as globalDown from '../compose/global-down/scenario.ts';
import * as hostileZone from '../compose/hostile-zone/scenario.ts';
import * as leafZones from '../compose/leaf-zones/scenario.ts';
import * as natsCluster from '../compose/nats-cluster/scenario.ts';
import { emptyShop } from '../compose/shop.ts';
import * as twoZones from '../compose/two-zones/scenario.ts';
import type { World } from '../compose/world.ts';
import * as zonePartition from '../compose/zone-partition/scenario.ts';

/** The scenarios that begin with the same services are played in one world, in which each finds an empty shop. */
const WORLDS: Readonly<Record<string, readonly { open(world: World): Promise<void>; run(world: World): Promise<void> }[]>> = {
  'two-zones': [denyByDefault, zonePartition, globalDown, twoZones],
  'nats-cluster': [natsCluster],
  'leaf-zones': [leafZones],
  'hostile-zone': [hostileZone],
};

// Each service has an address of 127/8 of its own, which only Linux has without further ado.
describe('scenarios of compose/ as plain processes', { concurrency: 2, skip: process.platform !== 'linux' && 'not Linux' }, () => {
  for (const [name, scenarios] of Object.entries(WORLDS))
    it(name, async (t) => {
      const world = await startProcesses(name);
      t.after(() => world.close());
      try {
        await scenarios[0]?.open(world);
        for (const { run } of scenarios) {
          await run(world);
          if (scenarios.length > 1) await emptyShop(world);
        }
      } catch (thrown) {
        t.diagnostic(await world.logs());
        throw thrown;
      }
    });
});
