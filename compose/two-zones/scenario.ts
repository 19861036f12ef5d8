import { type Breaks, leaveOut } from '../breaks.ts';
import { apply, ctl, gets, openShop, ORDERS, shows, WEB } from '../shop.ts';
import type { World } from '../world.ts';

export const open = openShop;

/** The services of two zones call each other over mutual TLS, and what one zone's owner says arrives in the other. */
export async function run(world: World): Promise<void> {
  await gets(world, 'west-service', 'web', ORDERS, 403);
  await apply(world, 'global', 'shop.yaml');
  await gets(world, 'west-service', 'web', ORDERS, 200);
  await gets(world, 'east-service', 'orders', WEB, 200);
  await gets(world, 'west-service', 'old', ORDERS, 403);
  await apply(world, 'east', 'backend.yaml');
  const name = (await ctl(world, 'east', 'name slow -m default --zone east --namespace backend-ns')).trim();
  const service = (await ctl(world, 'east', 'name backend -m default --zone east --namespace backend-ns')).trim();
  await shows(world, 'global', 'get meshtimeouts -o name', name);
  await shows(world, 'west', `get MeshTimeout ${name}.mesh-system -o yaml`, `name: ${service}`);
  await shows(world, 'global', `ledger MeshTimeout ${name}`, 'applied');
}

/** What east says of its backend, it keeps to itself. */
function keepInEast(world: World): World {
  const kept = (input: string): string => input.replaceAll('namespace: backend-ns', '$&\n  labels: { kuma.io/kds-sync: disabled }');
  return { ...world, ctl: (service, args, input = '') => world.ctl(service, args, kept(input)) };
}

export const breaks: Breaks = {
  'nobody is allowed': { spoil: leaveOut(/^ctl global apply .*name: shop\n/s), noticed: 'web on west-service gets 200' },
  'east keeps what its owner says': { spoil: keepInEast, noticed: 'global: meridianctl get meshtimeouts' },
};
