import { apply, ctl, gets, openShop, ORDERS, shows } from '../shop.ts';
import type { World } from '../world.ts';

/** A zone that is cut off goes on with what it has, global says that it lacks a change, and once joined it has it. */
export async function run(world: World): Promise<void> {
  await openShop(world);
  await apply(world, 'global', 'shop.yaml');
  await gets(world, 'west-service', 'web', ORDERS, 200);
  await world.cut('east');
  await apply(world, 'global', 'no-web.yaml');
  await shows(world, 'global', 'ledger MeshTrafficPermission no-web', 'on its way');
  const held = await ctl(world, 'east', 'get meshtrafficpermissions -o name');
  if (held.includes('no-web')) throw new Error(`east was cut off and has it: ${held}`);
  await gets(world, 'west-service', 'web', ORDERS, 200);
  await world.join('east');
  await gets(world, 'west-service', 'web', ORDERS, 403);
  await ctl(world, 'global', 'wait');
}
