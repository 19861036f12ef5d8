import { type Breaks, leaveOut } from '../breaks.ts';
import { apply, ctl, gets, lacks, openShop, ORDERS, shows } from '../shop.ts';
import type { World } from '../world.ts';

export const open = openShop;

/** A zone that is cut off goes on with what it has, global says that it lacks a change, and once joined it has it. */
export async function run(world: World): Promise<void> {
  await apply(world, 'global', 'shop.yaml');
  await gets(world, 'west-service', 'web', ORDERS, 200);
  await world.cut('east');
  await apply(world, 'global', 'no-web.yaml');
  // A change may be on its way for a moment without any cut: only this is said of a zone that is not heard.
  await shows(world, 'global', 'ledger MeshTrafficPermission no-web', 'the connection is lost');
  await lacks(world, 'east', 'get meshtrafficpermissions -o name', 'no-web');
  await gets(world, 'west-service', 'web', ORDERS, 200);
  await world.join('east');
  await gets(world, 'west-service', 'web', ORDERS, 403);
  await ctl(world, 'global', 'wait');
}

export const breaks: Breaks = {
  'east is not cut off': { spoil: leaveOut(/^cut east/), noticed: 'global: meridianctl ledger MeshTrafficPermission no-web' },
  'east is not joined again': { spoil: leaveOut(/^join east/), noticed: 'web on west-service gets 403' },
};
