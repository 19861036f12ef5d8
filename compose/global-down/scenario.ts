import { apply, ctl, gets, openShop, ORDERS, shows } from '../shop.ts';
import type { World } from '../world.ts';

/** Without global the zones enforce what they have and take writes; when it is back, it gets what they wrote. */
export async function run(world: World): Promise<void> {
  await openShop(world);
  await apply(world, 'global', 'shop.yaml');
  await gets(world, 'west-service', 'web', ORDERS, 200);
  await world.kill('global');
  await gets(world, 'west-service', 'web', ORDERS, 200);
  await gets(world, 'west-service', 'old', ORDERS, 403);
  await apply(world, 'east', 'backend.yaml');
  await world.start('global');
  const name = (await ctl(world, 'east', 'name slow -m default --zone east --namespace backend-ns')).trim();
  await shows(world, 'west', 'get meshtimeouts -o name', name);
}
