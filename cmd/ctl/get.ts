import type { Command } from 'commander';
import { findKind, type Kind } from '../../src/resource/kinds.js';
import { isObject } from '../../src/resource/path.js';
import type { JsonObject } from '../../src/resource/resource.js';
import { formatAge } from './age.js';
import { ask, askAll } from './client.js';
import { parseKindName } from './kind-name.js';
import { type Options, optionsOf } from './options.js';
import { note, print, toYaml, write } from './output.js';
import { collectionPath, resourcePath } from './resource-path.js';
import { type Server, serverOf } from './server.js';
import { readShown, toDocument } from './shown.js';
import { formatTable } from './table.js';

const COLUMNS = ['MESH', 'NAME', 'NAMESPACE', 'ROLE', 'ORIGIN', 'AGE'];

export function addGet(program: Command): void {
  program
    .command('get')
    .summary('show resources')
    .description('Shows the resources of a kind, or one of them. YAML is what `apply` accepts again.')
    .argument('<kind>', 'a type, REST path or short name: MeshTimeout, meshtimeouts, mt', parseKindName)
    .argument('[name]', 'its name in this store; on a kubernetes zone <name>.<namespace>')
    .option('--all-meshes', "of all meshes, like -m ''")
    .action(async (kind: Kind, name: string | undefined, { allMeshes }: { allMeshes?: true }, command: Command) => {
      const options = optionsOf(command);
      const mesh = allMeshes || kind.scope === 'Global' ? '' : options.mesh;
      const server = serverOf(command);
      if (name === undefined) return getList(server, kind, mesh, options);
      if (mesh === '' && kind.scope === 'Mesh') command.error('error: a NAME is looked up in one mesh: say which with -m');
      return getOne(server, resourcePath(kind, mesh, name), options);
    });
}

async function getList(server: Server, kind: Kind, mesh: string, options: Options): Promise<void> {
  const items = await askAll(server, collectionPath(kind, mesh));
  if (items.length === 0 && options.output === 'table') return note(`no ${kind.plural}${mesh === '' ? '' : ` in mesh ${mesh}`}`);
  await show(server, options, items, { total: items.length, items });
}

async function getOne(server: Server, path: string, options: Options): Promise<void> {
  const item = await ask(server, path);
  await show(server, options, isObject(item) ? [item] : [], item);
}

async function show(server: Server, { output }: Options, items: readonly JsonObject[], json: unknown): Promise<void> {
  if (output === 'table' || output === 'json') return print(output, json, () => formatItems(items));
  const documents = output === 'explicit' ? await explicitItems(server, items) : items;
  write((await Promise.all(documents.map(toDocument).map(toYaml))).join('---\n'));
}

/** The explicit form of policies is the control plane's to tell: it knows the origin, and what references were before they got names here. */
async function explicitItems(server: Server, items: readonly JsonObject[]): Promise<JsonObject[]> {
  const explicit: JsonObject[] = [];
  for (const item of items) {
    const { type, kri } = item;
    const asked = typeof type === 'string' && typeof kri === 'string' && findKind(type)?.policy;
    const answer = asked ? await ask(server, `/_explicit/${encodeURIComponent(kri)}`) : item;
    if (isObject(answer)) explicit.push(answer);
  }
  return explicit;
}

function formatItems(items: readonly JsonObject[]): string {
  const now = Date.now();
  return formatTable(
    COLUMNS,
    items.map((item) => {
      const { mesh, name, namespace, role, zone } = readShown(item);
      return [mesh, name, namespace, role, zone || 'global', formatAge(item.creationTime, now)];
    }),
  );
}
