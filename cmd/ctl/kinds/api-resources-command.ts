import type { Command } from 'commander';
import { type Kind, KINDS } from '../../../src/resource/kinds.ts';
import { optionsOf } from '../input/options.ts';
import { print } from '../terminal/output.ts';
import { formatTable, spare } from '../terminal/table.ts';

export function addApiResources(program: Command): void {
  program
    .command('api-resources')
    .summary('the kinds of resources, and what they are called (offline)')
    .description('Lists the kinds that this version knows: their names, where they lie, who may write them, and where they go.')
    .action(async (_: object, command: Command) => {
      const kinds = KINDS.map(describe);
      const columns = ['KIND', 'SHORT', 'PATH', 'IN', spare('WRITTEN AT'), spare('SYNCED')];
      await print(optionsOf(command), { items: kinds }, (paper) =>
        formatTable(
          columns,
          kinds.map(({ type, short, path, scope, writtenAt, synced }) => [
            type,
            short,
            path,
            scope,
            writtenAt.join(', '),
            synced.join(', '),
          ]),
          paper,
        ),
      );
    });
}

function describe({ type, short, path, scope, writtenBy, sync }: Kind) {
  return {
    type,
    short,
    path,
    scope: scope === 'Mesh' ? 'mesh' : 'global',
    writtenAt: [...(writtenBy.global ? ['global'] : []), ...(writtenBy.zone ? ['zone'] : [])],
    synced: [...(sync.down ? ['down'] : []), ...(sync.up ? ['up'] : []), ...(sync.across ? ['across'] : [])],
  };
}
