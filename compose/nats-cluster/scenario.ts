import { type Breaks, leaveOut } from '../breaks.ts';
import { apply, ctl, lacks, ready, shows } from '../shop.ts';
import type { World } from '../world.ts';

const POLICIES = 'get meshtrafficpermissions -o name';
const ZONES = ['east', 'west'];

export async function open(world: World): Promise<void> {
  for (const zone of ZONES) await ready(world, zone);
}

/**
 * Each server of a cluster is killed in its turn, so that of each control plane the one that it is connected to is; what
 * global says arrives all the same. At the end only the one that was killed first and came back is left.
 */
export async function run(world: World): Promise<void> {
  await world.kill('nats-1');
  await apply(world, 'global', 'shop.yaml');
  for (const zone of ZONES) await shows(world, zone, POLICIES, 'shop');
  await world.start('nats-1');
  await world.kill('nats-2');
  await apply(world, 'global', 'no-web.yaml');
  for (const zone of ZONES) await shows(world, zone, POLICIES, 'no-web');
  await world.kill('nats-3');
  await ctl(world, 'global', 'delete MeshTrafficPermission no-web');
  for (const zone of ZONES) await lacks(world, zone, POLICIES, 'no-web');
  await world.start('nats-2', 'nats-3');
  await ctl(world, 'global', 'wait');
}

export const breaks: Breaks = {
  'east knows one server alone': {
    services: { east: { environment: { MERIDIAN_NATS_URL: 'nats://nats-1:4222' } } },
    noticed: `east: meridianctl ${POLICIES} shows shop`,
  },
  'nats-1 does not come back': { spoil: leaveOut(/^start nats-1/), noticed: `east: meridianctl ${POLICIES} shows no no-web` },
};
