import { apply, ctl, gets, openShop, ORDERS } from '../shop.ts';
import type { World } from '../world.ts';

/** Nobody enters until a SPIFFE ID is allowed; a deny wins over the allow; without the permission nobody enters again. */
export async function run(world: World): Promise<void> {
  await openShop(world);
  await gets(world, 'west-service', 'web', ORDERS, 403);
  await gets(world, 'west-service', 'old', ORDERS, 403);
  await apply(world, 'global', 'shop.yaml');
  await gets(world, 'west-service', 'web', ORDERS, 200);
  await gets(world, 'west-service', 'old', ORDERS, 403);
  await apply(world, 'global', 'no-web.yaml');
  await gets(world, 'west-service', 'web', ORDERS, 403);
  await ctl(world, 'global', 'delete MeshTrafficPermission no-web');
  await gets(world, 'west-service', 'web', ORDERS, 200);
  await ctl(world, 'global', 'delete MeshTrafficPermission shop');
  await gets(world, 'west-service', 'web', ORDERS, 403);
}
