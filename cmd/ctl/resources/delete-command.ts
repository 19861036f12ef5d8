import type { Command } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import { ask } from '../api/api-client.ts';
import { withNearName } from '../api/near-name.ts';
import { resourcePath, resourceTitle } from '../api/resource-path.ts';
import { type Server, serverOf } from '../api/server-address.ts';
import { namedInFiles } from '../documents/named-in-files.ts';
import { addYes, confirm } from '../input/confirm.ts';
import { collect, optionsOf } from '../input/options.ts';
import { type NamedResource, namedResources } from '../input/resource-names.ts';
import { print } from '../terminal/output.ts';

interface DeleteOptions {
  readonly file?: readonly string[];
  readonly ignoreNotFound?: true;
}

const HELP = `
  meridianctl delete mt slow fast
  meridianctl delete MeshTimeout/slow MeshRetry/often
  meridianctl delete -f policies/
One after the other; the first that is refused ends it. What files hold is deleted in their reverse order, and meshes last.`;

export function addDelete(program: Command): void {
  const command = program
    .command('delete')
    .summary('delete resources')
    .description('Deletes resources where they were made; their copies go with them.')
    .argument('[kind]', 'a type, REST path or short name (MeshTimeout, meshtimeouts, mt), or KIND/NAME')
    .argument('[names...]', 'names in this store; on a kubernetes zone <name>.<namespace>')
    .option('-f, --file <paths...>', 'delete what these files, folders or - hold', collect)
    .option('--ignore-not-found', 'what is not there is no failure');
  addYes(command)
    .addHelpText('after', HELP)
    .action(async (kind: string | undefined, names: readonly string[], options: DeleteOptions, command: Command) => {
      const server = serverOf(command);
      const resources = await resourcesOf(server, kind === undefined ? [] : [kind, ...names], options, command);
      const zones = resources.filter(({ kind: { type } }) => type === 'Zone').map(({ name }) => name);
      if (zones.length > 0) await confirm(command, `This deletes the Zone ${zones.join(', ')}.`);
      for (const resource of resources) await deleteOne(server, resource, options, command);
    });
}

async function resourcesOf(
  server: Server,
  words: readonly string[],
  { file }: DeleteOptions,
  command: Command,
): Promise<readonly NamedResource[]> {
  if (file && words.length > 0) command.error('error: a name and -f exclude each other');
  const resources = file ? await namedInFiles(server, file) : namedResources(words, command);
  if (resources.length === 0) command.error('error: say what to delete: KIND NAME, KIND/NAME or -f FILE');
  return resources;
}

async function deleteOne(server: Server, resource: NamedResource, { ignoreNotFound }: DeleteOptions, command: Command): Promise<void> {
  const { kind, mesh, name } = resource;
  try {
    await withNearName(server, resource, () => ask(server, resourcePath(kind, mesh, name), { method: 'DELETE' }));
  } catch (thrown) {
    if (!(ignoreNotFound && thrown instanceof MeridianError && thrown.code === 'not_found')) throw thrown;
    return;
  }
  const result = { type: kind.type, mesh, name, outcome: 'deleted' };
  await print(optionsOf(command), result, () => `${resourceTitle(kind.type, mesh, name)} deleted\n`);
}
