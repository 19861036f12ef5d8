import type { Command } from 'commander';
import type { Kind } from '../../src/resource/kinds.ts';
import type { JsonObject } from '../../src/resource/resource.ts';
import { formatAge } from './age.ts';
import { askAll } from './client.ts';
import { parseKindName } from './kind-name.ts';
import { optionsOf } from './options.ts';
import { note, print } from './output.ts';
import { textOf } from './printable.ts';
import { serverOf } from './server.ts';
import { type Cell, type Colour, formatTable } from './table.ts';

const COLOURS: Readonly<Record<string, Colour>> = { applied: 'green', refused: 'red', 'on its way': 'yellow', unverified: 'yellow' };

export function addLedger(program: Command): void {
  program
    .command('ledger')
    .summary('where each resource stands in each zone')
    .description('Shows for each resource and peer: applied, refused and why, or on its way, and since when.')
    .argument('[kind]', 'a type, REST path or short name: MeshTimeout, meshtimeouts, mt', parseKindName)
    .argument('[name]', 'the name that the resource has where it was made')
    .option('--peer <peer>', 'only at this zone (or global)')
    .action(async (kind: Kind | undefined, name: string | undefined, { peer }: { peer?: string }, command: Command) => {
      const { output, mesh } = optionsOf(command);
      const narrowed = command.getOptionValueSourceWithGlobals('mesh') === 'cli' || name !== undefined;
      const query = { type: kind?.type, name, peer, mesh: narrowed && kind?.scope !== 'Global' ? mesh : undefined };
      const items = await askAll(serverOf(command), '/_ledger', query);
      if (items.length === 0 && output === 'table') return note('nothing of that is sent to anybody');
      await print(output, { items }, () => formatEntries(items));
    });
}

function formatEntries(items: readonly JsonObject[]): string {
  const now = Date.now();
  return formatTable(
    ['TYPE', 'MESH', 'NAME', 'NAMESPACE', 'ORIGIN', 'PEER', 'STATE', 'SINCE', 'REASON'],
    items.map((item) => toRow(item, now)),
  );
}

function toRow(item: JsonObject, now: number): Cell[] {
  const { type, mesh, name, namespace, zone, peer, state, since, reason } = item;
  const colour = COLOURS[textOf(state)];
  const shown: Cell = colour === undefined ? textOf(state) : { text: textOf(state), colour };
  const before = [type, mesh, name, namespace, zone || 'global', peer].map(textOf);
  return [...before, shown, formatAge(since, now), textOf(reason)];
}
