import { type Breaks, leaveOut } from '../breaks.ts';
import { apply, lacks, ctl, ready, shows } from '../shop.ts';
import type { World } from '../world.ts';

const POLICIES = 'get meshtrafficpermissions -o name';

export async function open(world: World): Promise<void> {
  for (const zone of ['east', 'west']) await ready(world, zone);
}

/** Zones behind leaf nodes are in step like others; one whose leaf node loses the hub catches up once it has it again. */
export async function run(world: World): Promise<void> {
  await apply(world, 'global', 'shop.yaml');
  for (const zone of ['east', 'west']) await shows(world, zone, POLICIES, 'shop');
  await world.cut('leaf-east');
  await apply(world, 'global', 'no-web.yaml');
  await shows(world, 'west', POLICIES, 'no-web');
  await shows(world, 'global', 'ledger MeshTrafficPermission no-web', 'the connection is lost');
  await shows(world, 'east', POLICIES, 'shop');
  await lacks(world, 'east', POLICIES, 'no-web');
  await world.join('leaf-east');
  await shows(world, 'east', POLICIES, 'no-web');
  await ctl(world, 'global', 'wait');
}

export const breaks: Breaks = {
  'a leaf node has another hub': { services: { 'leaf-east': { environment: { HUB: 'ws://leaf-west:8080' } } }, noticed: 'east is ready' },
  'the leaf node is not cut off': { spoil: leaveOut(/^cut leaf-east/), noticed: 'global: meridianctl ledger MeshTrafficPermission no-web' },
  'the leaf node is not joined again': { spoil: leaveOut(/^join leaf-east/), noticed: `east: meridianctl ${POLICIES} shows no-web` },
};
