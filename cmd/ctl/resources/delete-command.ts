import type { Command } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { type ApiRequest, ask } from '../api/api-client.ts';
import { withNearName } from '../api/near-name.ts';
import { resourcePath, resourceTitle } from '../api/resource-path.ts';
import { type Server, serverOf } from '../api/server-address.ts';
import { namedInFiles } from '../documents/named-in-files.ts';
import { addYes, confirm } from '../input/confirm.ts';
import { collect, optionsOf } from '../input/options.ts';
import { type NamedResource, namedResources } from '../input/resource-names.ts';
import { parseDryRun } from '../input/dry-run.ts';
import { print } from '../terminal/output.ts';
import { formatChanges } from './verdict-changes.ts';

interface DeleteOptions {
  readonly file?: readonly string[];
  readonly ignoreNotFound?: true;
  readonly dryRun?: true;
}

const HELP = `
  meridianctl delete mt slow fast
  meridianctl delete MeshTimeout/slow MeshRetry/often
  meridianctl delete -f policies/
  meridianctl delete mtp open --dry-run
One after the other; the first that is refused ends it. What files hold is deleted in their reverse order, and meshes last.`;

export function addDelete(program: Command): void {
  const command = program
    .command('delete')
    .summary('delete resources')
    .description('Deletes resources where they were made; their copies go with them.')
    .argument('[kind]', 'a type, REST path or short name (MeshTimeout, meshtimeouts, mt), or KIND/NAME')
    .argument('[names...]', 'names in this store; on a kubernetes zone <name>.<namespace>')
    .option('-f, --file <paths...>', 'delete what these files, folders or - hold', collect)
    .option('--ignore-not-found', 'what is not there is no failure')
    .option('--dry-run [where]', 'delete nothing: say at which proxies whose verdicts would change', parseDryRun);
  addYes(command)
    .addHelpText('after', HELP)
    .action(async (kind: string | undefined, names: readonly string[], options: DeleteOptions, command: Command) => {
      const server = serverOf(command);
      const resources = await resourcesOf(server, kind === undefined ? [] : [kind, ...names], options, command);
      if (options.dryRun) return tryOut(server, resources, options, command);
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

/** Says what deleting all of them at once would do: of two policies that allow the same, neither is missed alone. */
async function tryOut(server: Server, named: readonly NamedResource[], { ignoreNotFound }: DeleteOptions, command: Command): Promise<void> {
  const resources = await thatAreThere(server, named, ignoreNotFound);
  const asked = resources.map(({ kind: { type }, mesh, name }) => ({ type, mesh, name }));
  const answer = asked.length === 0 ? {} : await ask(server, '/_without', { method: 'POST', body: JSON.stringify({ resources: asked }) });
  const impact: JsonObject = isObject(answer) ? (answer as JsonObject) : {};
  const results = asked.map((one) => ({ ...one, outcome: 'deleted' }));
  const lines = asked.map(({ type, mesh, name }) => `${resourceTitle(type, mesh, name)} deleted (dry run)\n`).join('');
  const value = { dryRun: true, results, ...impact };
  await print(optionsOf(command), value, (paper) => `${lines}${formatChanges(impact, paper)}`);
}

/** Throws `not_found` for what is not there, unless that is no failure. */
async function thatAreThere(server: Server, named: readonly NamedResource[], ignoreNotFound?: true): Promise<readonly NamedResource[]> {
  const there: NamedResource[] = [];
  for (const one of named) {
    if (await isAnswered(server, one, undefined, ignoreNotFound)) there.push(one);
  }
  return there;
}

/** Asks for a resource. Out: whether it is there; throws `not_found` where it is not, unless that is no failure. */
async function isAnswered(server: Server, named: NamedResource, request?: ApiRequest, ignoreNotFound?: true): Promise<boolean> {
  try {
    await withNearName(server, named, () => ask(server, resourcePath(named.kind, named.mesh, named.name), request));
    return true;
  } catch (thrown) {
    if (ignoreNotFound && thrown instanceof MeridianError && thrown.code === 'not_found') return false;
    throw thrown;
  }
}

async function deleteOne(server: Server, resource: NamedResource, { ignoreNotFound }: DeleteOptions, command: Command): Promise<void> {
  const { kind, mesh, name } = resource;
  if (!(await isAnswered(server, resource, { method: 'DELETE' }, ignoreNotFound))) return;
  const result = { type: kind.type, mesh, name, outcome: 'deleted' };
  await print(optionsOf(command), result, () => `${resourceTitle(kind.type, mesh, name)} deleted\n`);
}
