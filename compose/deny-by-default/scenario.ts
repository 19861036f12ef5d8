import { type Breaks, leaveOut } from '../breaks.ts';
import { apply, ctl, gets, openShop, ORDERS } from '../shop.ts';
import type { World } from '../world.ts';

export const open = openShop;

/** Nobody enters until a SPIFFE ID is allowed; a deny wins over the allow; without the permission nobody enters again. */
export async function run(world: World): Promise<void> {
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

/** Somebody has allowed all of the shop before its Envoys are there. */
function allowBefore(world: World): World {
  const start: World['start'] = async (...services) => {
    if (services.includes('east-envoy')) await apply(world, 'global', 'shop.yaml');
    await world.start(...services);
  };
  return { ...world, start };
}

export const breaks: Breaks = {
  'somebody is allowed from the start': { spoil: allowBefore, noticed: 'web on west-service gets 403' },
  'nobody is allowed': { spoil: leaveOut(/^ctl global apply .*name: shop\n/s), noticed: 'web on west-service gets 200' },
  'nobody is denied': { spoil: leaveOut(/^ctl global apply .*name: no-web\n/s), noticed: 'web on west-service gets 403' },
};
