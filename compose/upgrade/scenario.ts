import { until } from '../../test/harness/until.ts';
import { type Breaks, leaveOut } from '../breaks.ts';
import { apply, ctl, gets, lacks, openShop, ORDERS, ready, says, shows } from '../shop.ts';
import type { World } from '../world.ts';
import { buildRelease, releaseImages } from './release.ts';

const POLICIES = 'get meshtrafficpermissions -o name';
const STORES = ['global', 'east', 'west'];

export async function prepare(inContainers: boolean): Promise<string | undefined> {
  const missing = await buildRelease();
  if (missing === undefined && inContainers) await releaseImages();
  return missing;
}

export async function open(world: World): Promise<void> {
  await openShop(world);
  await world.start('stores');
}

/** From the last release to this one, global first, while calls go on; and back, with the backups from before. */
export async function run(world: World): Promise<void> {
  await apply(world, 'global', 'shop.yaml');
  await gets(world, 'west-service', 'web', ORDERS, 200);
  for (const store of STORES) await ctl(world, 'stores', `backup /stores/${store} /stores/${store}/before.db`);

  await becomes(world, 'global', 'local');
  await inStep(world);
  await apply(world, 'east', 'backend.yaml');
  const name = (await ctl(world, 'east', 'name slow -m default --zone east --namespace backend-ns')).trim();
  await shows(world, 'west', 'get meshtimeouts -o name', name);

  for (const zone of ['east', 'west']) await becomes(world, zone, 'local');
  await inStep(world);

  await becomes(world, 'east', 'release');
  await says(world, 'east', 'has schema 7, this Meridian knows 6');
  await gets(world, 'west-service', 'web', ORDERS, 200);
  for (const service of ['east', 'west', 'global']) await back(world, service);
  await inStep(world);
}

/** Ends a control plane and starts it as another version, on the same store. What it enforces, its Envoy goes on with. */
async function becomes(world: World, service: string, version: 'local' | 'release'): Promise<void> {
  await world.stop(service);
  await gets(world, 'west-service', 'web', ORDERS, 200);
  world.use(service.toUpperCase(), version);
  await world.start(service);
}

/** What is said at global arrives in both zones and in Envoy, whichever version each of them is. */
async function inStep(world: World): Promise<void> {
  for (const zone of ['east', 'west']) await ready(world, zone);
  await gets(world, 'west-service', 'web', ORDERS, 200);
  await apply(world, 'global', 'no-web.yaml');
  for (const zone of ['east', 'west']) await shows(world, zone, POLICIES, 'no-web');
  await gets(world, 'west-service', 'web', ORDERS, 403);
  await shows(world, 'global', 'ledger MeshTrafficPermission no-web', 'applied');
  await ctl(world, 'global', 'delete MeshTrafficPermission no-web');
  for (const zone of ['east', 'west']) await lacks(world, zone, POLICIES, 'no-web');
  await gets(world, 'west-service', 'web', ORDERS, 200);
}

/** The last release on the store from before the upgrade, as docs/tasks/backup-and-restore.md has it. */
async function back(world: World, service: string): Promise<void> {
  await world.stop(service);
  const script = `
    const fs = require('node:fs');
    for (const log of ['-wal', '-shm']) fs.rmSync('/stores/${service}/meridian.db' + log, { force: true });
    fs.copyFileSync('/stores/${service}/before.db', '/stores/${service}/meridian.db');
  `;
  const { code, err } = await world.exec('stores', ['node', '-e', script]);
  if (code !== 0) throw new Error(`the store of ${service} is not restored: ${err}`);
  world.use(service.toUpperCase(), 'release');
  await world.start(service);
  // The others hold what it has forgotten.
  await until(`${service} says that it was restored`, () => isDiverged(world, service), world.patience);
  await ctl(world, service, 'recover --yes');
}

async function isDiverged(world: World, service: string): Promise<boolean> {
  const script = "fetch('http://127.0.0.1:5680/ready').then((answer) => answer.text()).then(console.log)";
  const { out } = await world.exec(service, ['node', '-e', script]);
  return out.includes('run meridianctl recover') || Promise.reject(new Error(out));
}

export const breaks: Breaks = {
  'global is not started again': { spoil: leaveOut(/^start global/), noticed: 'east is ready' },
  'there is no backup': { spoil: leaveOut(/^ctl stores backup/), noticed: 'the store of east is not restored' },
};
