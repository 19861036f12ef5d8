import type { Command } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import { readVersion } from '../../version.ts';
import { ask } from '../api/api-client.ts';
import { type Server, serverOf } from '../api/server-address.ts';
import { optionsOf } from '../input/options.ts';
import { print } from '../terminal/output.ts';
import { printable, textOf } from '../terminal/printable.ts';

export function addVersion(program: Command): void {
  program
    .command('version')
    .summary('the version of this program, and of the control plane')
    .description('Shows the version of this program, and of the control plane that it asks.')
    .action(async (_: object, command: Command) => {
      const client = readVersion();
      const server = await versionOf(serverOf(command));
      const said = server ?? 'none answers';
      await print(optionsOf(command), { client, server }, () => printable(`client: ${client}`) + `\nserver: ${printable(said)}\n`);
    });
}

/** null: nobody answers there. */
async function versionOf(server: Server): Promise<string | null> {
  try {
    const index = await ask(server, '/');
    return isObject(index) && isObject(index.implementation) ? textOf(index.implementation.version) : null;
  } catch (thrown) {
    if (thrown instanceof MeridianError && thrown.code === 'unavailable') return null;
    throw thrown;
  }
}
