import { type Breaks, leaveOut } from '../breaks.ts';
import { apply, ctl, gets, gone, openShop, ORDERS, shows } from '../shop.ts';
import type { World } from '../world.ts';

export const open = openShop;

/** Without global the zones enforce what they have and take writes; when it is back, it gets what they wrote. */
export async function run(world: World): Promise<void> {
  await apply(world, 'global', 'shop.yaml');
  await gets(world, 'west-service', 'web', ORDERS, 200);
  await world.kill('global');
  await gone(world, 'global');
  await gets(world, 'west-service', 'web', ORDERS, 200);
  await gets(world, 'west-service', 'old', ORDERS, 403);
  await apply(world, 'east', 'backend.yaml');
  await world.start('global');
  const name = (await ctl(world, 'east', 'name slow -m default --zone east --namespace backend-ns')).trim();
  await shows(world, 'west', 'get meshtimeouts -o name', name);
}

export const breaks: Breaks = {
  'global is not killed': { spoil: leaveOut(/^kill global/), noticed: 'global does not answer' },
  'global does not come back': { spoil: leaveOut(/^start global/), noticed: 'west: meridianctl get meshtimeouts' },
};
