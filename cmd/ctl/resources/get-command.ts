import type { Command } from 'commander';
import { findKind, isInsight, type Kind, KINDS } from '../../../src/resource/kinds.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { formatAge } from '../terminal/age.ts';
import { ask, askAll } from '../api/api-client.ts';
import { parseKindName } from '../api/kind-name.ts';
import { type Options, optionsOf } from '../input/options.ts';
import { isTable, note, print, toYaml, write } from '../terminal/output.ts';
import { type Progress, withProgress } from '../terminal/progress.ts';
import { collectionPath, resourcePath } from '../api/resource-path.ts';
import { type Server, serverOf } from '../api/server-address.ts';
import { printable } from '../terminal/printable.ts';
import { readResourceView, toDocument } from './resource-view.ts';
import { type Paper, context, formatTable } from '../terminal/table.ts';

const COLUMNS = [context('MESH'), 'NAME', context('NAMESPACE'), context('ROLE'), context('ORIGIN'), 'AGE'];

export function addGet(program: Command): void {
  program
    .command('get')
    .summary('show resources')
    .description('Shows the resources of a kind, one of them, or all that is in a mesh. YAML is what `apply` accepts again.')
    .argument('<kind|all>', 'a type, REST path or short name (MeshTimeout, meshtimeouts, mt), or all kinds in meshes', parseKinds)
    .argument('[name]', 'its name in this store; on a kubernetes zone <name>.<namespace>')
    .option('--all-meshes', "of all meshes, like -m ''")
    .action(async (kinds: readonly Kind[], name: string | undefined, { allMeshes }: { allMeshes?: true }, command: Command) => {
      const options = optionsOf(command);
      const [kind, ...more] = kinds;
      const mesh = allMeshes || kind?.scope === 'Global' ? '' : options.mesh;
      const server = serverOf(command);
      if (name === undefined) return getList(server, kinds, mesh, options);
      if (!kind || more.length > 0) command.error('error: a NAME is of one kind: say which');
      if (mesh === '' && kind.scope === 'Mesh') command.error('error: a NAME is looked up in one mesh: say which with -m');
      return getOne(server, resourcePath(kind, mesh, name), options);
    });
}

/** `all`: every kind that lies in meshes and is written by users, in the order of the registry. */
function parseKinds(text: string): readonly Kind[] {
  return text.toLowerCase() === 'all' ? KINDS.filter((kind) => kind.scope === 'Mesh' && !isInsight(kind)) : [parseKindName(text)];
}

async function getList(server: Server, kinds: readonly Kind[], mesh: string, options: Options): Promise<void> {
  const items = await withProgress((progress) => readAll(server, kinds, mesh, progress));
  if (items.length === 0 && isTable(options.output)) return note(`no ${nameOf(kinds)}${mesh === '' ? '' : ` in mesh ${mesh}`}`);
  await show(server, options, items, { total: items.length, items }, kinds.length > 1);
}

async function readAll(server: Server, kinds: readonly Kind[], mesh: string, progress: Progress): Promise<JsonObject[]> {
  const items: JsonObject[] = [];
  for (const kind of kinds) {
    const before = items.length;
    items.push(...(await askAll(server, collectionPath(kind, mesh), {}, (count) => progress.say(`read ${before + count} resources`))));
  }
  return items;
}

function nameOf([kind, ...more]: readonly Kind[]): string {
  return more.length > 0 || !kind ? 'resources' : kind.plural;
}

async function getOne(server: Server, path: string, options: Options): Promise<void> {
  const item = await ask(server, path);
  await show(server, options, isObject(item) ? [item] : [], item);
}

async function show(server: Server, options: Options, items: readonly JsonObject[], json: unknown, withType = false): Promise<void> {
  const { output } = options;
  if (output === 'name') return write(items.map(nameLine).join(''));
  if (isTable(output) || output === 'json') return print(options, json, (paper) => formatItems(items, withType, paper));
  const documents = output === 'explicit' ? await explicitItems(server, items) : items;
  write((await Promise.all(documents.map(toDocument).map(toYaml))).join('---\n'));
}

/**
 * The explicit form of policies is the control plane's to tell: it knows the origin, and what references were before
 * they got names here.
 */
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

/** `MeshTimeout/slow`: what `get` and `delete` take again. */
function nameLine(item: JsonObject): string {
  const { type, name } = readResourceView(item);
  return `${printable(`${type}/${name}`)}\n`;
}

/** Where kinds are mixed, the type stands before the rest. */
function formatItems(items: readonly JsonObject[], withType: boolean, paper: Paper): string {
  const now = Date.now();
  const rows = items.map((item) => {
    const { type, mesh, name, namespace, role, zone } = readResourceView(item);
    const row = [mesh, name, namespace, role, zone || 'global', formatAge(item.creationTime, now)];
    return withType ? [type, ...row] : row;
  });
  return formatTable(withType ? ['TYPE', ...COLUMNS] : COLUMNS, rows, paper);
}
