import type { Command } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import { ask, askAll } from '../api/api-client.ts';
import { optionsOf } from '../input/options.ts';
import { isTable, note, print } from '../terminal/output.ts';
import { formatZones, NO_ZONES, peerRows } from '../inspect/zone-table.ts';
import { serverOf } from '../api/server-address.ts';
import { addZoneCredentials } from './zone-credentials.ts';

export function addZone(program: Command): void {
  const zone = program.command('zone').description('Lists zones, gives them credentials, takes them out of the exchange and back.');
  addZoneCredentials(zone);
  zone.command('list').description('Lists the zones that global knows.').action(listZones);
  zone
    .command('disable')
    .description('The zone sends and gets nothing any more; its copies elsewhere stay in force.')
    .argument('<name>')
    .action((name: string, _: object, command: Command) => setEnabled(name, false, command));
  zone
    .command('enable')
    .description('The zone exchanges again.')
    .argument('<name>')
    .action((name: string, _: object, command: Command) => setEnabled(name, true, command));
}

async function listZones(_: object, command: Command): Promise<void> {
  const server = serverOf(command);
  const items = await askAll(server, '/zones');
  const options = optionsOf(command);
  if (items.length === 0 && isTable(options.output)) return note(NO_ZONES);
  const peers = isTable(options.output) ? await peerRows(server) : [];
  await print(options, { total: items.length, items }, (paper) => formatZones(items, peers, paper));
}

/** The rest of the Zone (its attributes) stays as it is. */
async function setEnabled(name: string, enabled: boolean, command: Command): Promise<void> {
  const server = serverOf(command);
  const path = `/zones/${encodeURIComponent(name)}`;
  const zone = await ask(server, path);
  if (!isObject(zone)) throw new MeridianError('not_found', `zone ${name} does not exist`);
  await ask(server, path, { method: 'PUT', body: JSON.stringify({ ...zone, enabled }) });
  await print(optionsOf(command), { name, enabled }, () => `zone ${name} ${enabled ? 'enabled' : 'disabled'}\n`);
}
