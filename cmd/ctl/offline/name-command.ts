import type { Command } from 'commander';
import { hashedName } from '../../../src/naming/hash-name.ts';
import { optionsOf } from '../input/options.ts';
import { print } from '../terminal/output.ts';

export function addName(program: Command): void {
  program
    .command('name')
    .summary('print the name that copies of a resource get (offline)')
    .description("Prints the name that the copies of a resource get in other stores: Kuma's hashed name. Asks no server.")
    .argument('<display-name>', 'the name that the resource has where it was made')
    .option('--zone <zone>', 'the zone that it comes from; without it, global', '')
    .option('--namespace <namespace>', 'the namespace that it comes from, if it has one', '')
    .action(async (name: string, { zone, namespace }: { zone: string; namespace: string }, command: Command) => {
      const { mesh } = optionsOf(command);
      const hashed = hashedName({ mesh, name, zone, namespace });
      await print(optionsOf(command), { name: hashed }, () => `${hashed}\n`);
    });
}
