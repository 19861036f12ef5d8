import type { Command } from 'commander';
import type { Kind } from '../../../src/resource/kinds.ts';
import { ask } from '../api/api-client.ts';
import { parseKindName } from '../api/kind-name.ts';
import { optionsOf } from '../input/options.ts';
import { print } from '../terminal/output.ts';
import { resourcePath, resourceTitle } from '../api/resource-path.ts';
import { serverOf } from '../api/server-address.ts';

export function addDelete(program: Command): void {
  program
    .command('delete')
    .summary('delete a resource')
    .description('Deletes a resource where it was made; its copies go with it.')
    .argument('<kind>', 'a type, REST path or short name: MeshTimeout, meshtimeouts, mt', parseKindName)
    .argument('<name>', 'its name in this store; on a kubernetes zone <name>.<namespace>')
    .action(async (kind: Kind, name: string, _: object, command: Command) => {
      const { mesh: given } = optionsOf(command);
      const mesh = kind.scope === 'Global' ? '' : given;
      if (mesh === '' && kind.scope === 'Mesh') command.error('error: a NAME is looked up in one mesh: say which with -m');
      await ask(serverOf(command), resourcePath(kind, mesh, name), { method: 'DELETE' });
      const result = { type: kind.type, mesh, name, outcome: 'deleted' };
      await print(optionsOf(command), result, () => `${resourceTitle(kind.type, mesh, name)} deleted\n`);
    });
}
