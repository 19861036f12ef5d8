import type { Command } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { formatAge } from '../terminal/age.ts';
import { ask, askAll } from '../api/api-client.ts';
import { optionsOf } from '../input/options.ts';
import { print } from '../terminal/output.ts';
import { textOf } from '../terminal/printable.ts';
import { serverOf } from '../api/server-address.ts';
import { formatTable, type TableLayout } from '../terminal/table.ts';
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
  const items = await askAll(serverOf(command), '/zones');
  await print(optionsOf(command), { total: items.length, items }, (paper) => formatZones(items, paper));
}

function formatZones(items: readonly JsonObject[], paper: TableLayout): string {
  const now = Date.now();
  const rows = items.map(({ name, enabled, creationTime }) => [
    textOf(name),
    enabled === false ? ({ text: 'no', colour: 'red' } as const) : ({ text: 'yes', colour: 'green' } as const),
    formatAge(creationTime, now),
  ]);
  return formatTable(['NAME', 'ENABLED', 'AGE'], rows, paper);
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
