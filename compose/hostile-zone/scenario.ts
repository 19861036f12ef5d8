import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Breaks, leaveOut } from '../breaks.ts';
import { apply, ctl, ready, says, shows } from '../shop.ts';
import type { World } from '../world.ts';

const ZONES = ['east', 'north'];
const REFUSED = [
  'Publish to "meridian.v1.zone.east.up"',
  'Publish to "meridian.v1.zone.east.down"',
  'Publish to "meridian.v1.zone.north.ask.east"',
  'Publish to "meridian.v1.zone.east.answer.north"',
  'Subscription to "meridian.v1.zone.east.down"',
];

export async function open(world: World): Promise<void> {
  for (const zone of [...ZONES, 'west']) await ctl(world, 'keys', `zone add ${zone} --dir /data --accounts-dir /data/accounts`);
  await world.start('nats', 'global', ...ZONES);
  for (const zone of ZONES) await ready(world, zone);
  world.write('attacker.js', await attacker());
}

/** Whoever has a zone's credential is that zone and nobody else, is seen, and is put out. */
export async function run(world: World): Promise<void> {
  await apply(world, 'east', 'backend.yaml');
  const name = (await ctl(world, 'east', 'name slow -m default --zone east --namespace backend-ns')).trim();
  await shows(world, 'north', 'get meshtimeouts -o name', name);
  await world.start('attacker');
  for (const what of REFUSED) await says(world, 'attacker', `NATS refuses: Permissions Violation for ${what}`);
  await says(world, 'attacker', 'east denies: site-attributes');
  // What it said in the name of east is of west, as its name at global proves.
  const filed = (await ctl(world, 'global', 'name forged-of-east -m default --zone west --namespace shop')).trim();
  await shows(world, 'global', 'get meshtrafficpermissions -o name', filed);
  await shows(world, 'global', 'status', 'refused of west: MeshTrafficPermission default/forged-of-global');
  await shows(world, 'global', 'status -o json', 'over_quota');
  await apply(world, 'global', 'shop.yaml');
  for (const zone of ZONES) {
    await shows(world, zone, 'get meshtrafficpermissions -o name', 'shop');
    assert.doesNotMatch(await ctl(world, zone, 'get all -o name'), /forged/, `${zone} has what was forged`);
  }
  await ctl(world, 'keys', 'zone revoke west --yes --dir /data --accounts-dir /data/accounts --nats-url nats://nats:4222');
  await says(world, 'attacker', 'NATS ends my connection');
  await world.start('attacker');
  await says(world, 'attacker', 'NATS lets me in no more');
}

/** The attacker as one file. */
async function attacker(): Promise<string> {
  const entryPoints = [fileURLToPath(new URL('attacker.ts', import.meta.url))];
  const { outputFiles } = await build({ entryPoints, bundle: true, platform: 'node', write: false });
  return outputFiles[0]?.text ?? '';
}

export const breaks: Breaks = {
  'NATS asks for no credentials': {
    services: { nats: { command: ['--addr', '0.0.0.0', '--port', '4222'] } },
    noticed: 'attacker says NATS refuses',
  },
  'the credential is not revoked': { spoil: leaveOut(/^ctl keys zone revoke/), noticed: 'attacker says NATS ends my connection' },
};
