import { zoneState } from '../../src/control/peers/zone-state.ts';
import assert from 'node:assert/strict';
import { GLOBAL_PEER } from '../../src/resource/audience.ts';
import type { Node } from '../simulator/node.ts';
import { World } from '../simulator/world.ts';
import { perform } from './perform.ts';
import type { Scenario } from './scenario.ts';

/**
 * Virtual ms: longer than any interval of the protocol, so that a slice without a change means that nothing is under
 * way.
 */
const SLICE = 2_500;
const MAX_SLICES = 20;

/** Plays all steps, each until the system is quiet, and gives the world as it is then. */
export function play({ zones, steps }: Scenario): World {
  const world = new World(1, zones);
  settle(world);
  for (const step of steps) {
    try {
      perform(world.node(step.at === 'global' ? '' : step.at), step);
    } catch (thrown) {
      if (thrown instanceof Error) thrown.message = `${step.file}: ${thrown.message}`;
      throw thrown;
    }
    settle(world);
  }
  assert.deepEqual(outOfStep(world), [], 'these control planes are not in step');
  return world;
}

function settle(world: World): void {
  for (let slice = 0, before = ''; slice < MAX_SLICES; slice++) {
    world.run(SLICE);
    const now = JSON.stringify([...world.nodes.values()].map(fingerprint));
    if (now === before) return;
    before = now;
  }
  assert.fail('the system does not come to rest');
}

/** What changes when anything is committed, received or acknowledged. */
function fingerprint(node: Node): unknown {
  const { store } = node.plane;
  const peers = node.place.zone === '' ? node.world.zones.map(({ place }) => place.zone) : [GLOBAL_PEER];
  return [store.head(), peers.map((peer) => [store.mirror.position(peer), node.view(peer)?.ack])];
}

/** The zones that can talk to global, and whose sides don't agree. */
function outOfStep(world: World): string[] {
  const { global } = world;
  return world.zones
    .filter((zone) => zone.connected && global.connected && zoneState(global.plane.store, zone.place.zone) === 'enabled')
    .filter((zone) => !zone.view(GLOBAL_PEER)?.upToDate || !global.view(zone.place.zone)?.upToDate)
    .map(({ name }) => name);
}
