import type { Command } from 'commander';
import { findKind, isInsight, type Kind, KINDS } from '../../../src/resource/kinds.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { formatAge } from '../terminal/age.ts';
import { ask, askAll } from '../api/api-client.ts';
import { withNearName } from '../api/near-name.ts';
import { kindNamed, type NamedResource, namedResources } from '../input/resource-names.ts';
import { type NarrowOptions, narrow, parseColumn, parseSelector, SORTED_BY } from './narrow-items.ts';
import { type Options, optionsOf, templateOf } from '../input/options.ts';
import { isTable, note, print, toYaml, write } from '../terminal/output.ts';
import { type Progress, withProgress } from '../terminal/progress.ts';
import { collectionPath, resourcePath } from '../api/resource-path.ts';
import type { Server } from '../api/server-address.ts';
import { readServerOf, zoneOption } from '../api/zone-server.ts';
import { textOf } from '../terminal/printable.ts';
import { nameLine, readResourceView, toDocument } from './resource-view.ts';
import { formatZones, NO_ZONES, peerRows } from '../inspect/zone-table.ts';
import { watchItems } from './watch-items.ts';
import { type TableLayout, context, formatTable } from '../terminal/table.ts';

const COLUMNS = [context('MESH'), 'NAME', context('NAMESPACE'), context('ROLE'), context('ORIGIN'), 'AGE'];

export function addGet(program: Command): void {
  program
    .command('get')
    .summary('show resources')
    .description('Shows the resources of a kind, one of them, or all that is in a mesh. YAML is what `apply` accepts again.')
    .argument('<kind|all>', 'a type, REST path or short name (MeshTimeout, meshtimeouts, mt), KIND/NAME, or all kinds in meshes')
    .argument('[names...]', 'names in this store; on a kubernetes zone <name>.<namespace>')
    .option('-A, --all-meshes', "of all meshes, like -m ''")
    .option('-n, --namespace <namespace>', 'only what lies in this namespace where it was made')
    .option('-l, --selector <labels>', 'only with these labels: name=value, name!=value, name; several with commas', parseSelector)
    .option('--sort-by <column>', `by ${Object.keys(SORTED_BY).join(', ')}; not said: as the store has them`, parseColumn)
    .option('-w, --watch', 'then a row for each change, until it is stopped (Ctrl-C)')
    .addOption(zoneOption())
    .action(async (word: string, names: readonly string[], options: GetOptions, command: Command) => {
      if (options.watch) return watch(word, names, options, command);
      if (names.length > 0 || word.includes('/'))
        return getNamed(readServerOf(command), namedResources([word, ...names], command), options, command);
      return getList(readServerOf(command), kindsOf(word, command), options, command);
    });
}

interface GetOptions extends NarrowOptions {
  readonly allMeshes?: true;
  readonly watch?: true;
}

async function watch(word: string, names: readonly string[], options: GetOptions, command: Command): Promise<void> {
  const { output, mesh } = optionsOf(command);
  if (output === 'explicit') command.error('error: -w prints no explicit form');
  if (options.sortBy !== undefined) command.error('error: changes come as they are made: leave --sort-by out');
  const server = readServerOf(command);
  const named = names.length > 0 || word.includes('/') ? namedResources([word, ...names], command) : undefined;
  const kinds = new Set(named ? named.map(({ kind }) => kind) : kindsOf(word, command));
  const [kind, ...more] = kinds;
  if (!kind || more.length > 0) command.error('error: -w is for one kind; `meridianctl watch` shows all of them');
  const kris = named && new Set(await Promise.all(named.map((one) => kriOf(server, one))));
  const everywhere = options.allMeshes || kind.scope === 'Global';
  await watchItems(server, { kind, mesh: everywhere ? '' : mesh, kris, narrowed: options }, command);
}

/** Throws `not_found`. */
async function kriOf(server: Server, named: NamedResource): Promise<string> {
  const item = await withNearName(server, named, () => ask(server, resourcePath(named.kind, named.mesh, named.name)));
  return isObject(item) ? textOf(item.kri) : '';
}

/** `all`: every kind that lies in meshes and is written by users, in the order of the registry. */
function kindsOf(word: string, command: Command): readonly Kind[] {
  if (word.toLowerCase() === 'all') return KINDS.filter((kind) => kind.scope === 'Mesh' && !isInsight(kind));
  return [kindNamed(word, command)];
}

async function getList(server: Server, kinds: readonly Kind[], narrowed: GetOptions, command: Command): Promise<void> {
  const options = optionsOf(command);
  const mesh = narrowed.allMeshes || (kinds.length === 1 && kinds[0]?.scope === 'Global') ? '' : options.mesh;
  const all = await withProgress((progress) => readAll(server, kinds, mesh, progress));
  const items = narrow(all, narrowed);
  if (items.length === 0 && isTable(options.output)) return note(emptyOf(kinds, mesh, all.length));
  const json = { total: items.length, items };
  if (isTable(options.output) && kinds.every(({ type }) => type === 'Zone')) {
    const peers = await peerRows(server);
    return print(options, json, (paper) => formatZones(items, peers, paper));
  }
  await show(server, options, items, json, kinds.length > 1);
}

/** That there is none, and where to look next. */
function emptyOf(kinds: readonly Kind[], mesh: string, others: number): string {
  const what = `no ${nameOf(kinds)}${mesh === '' ? '' : ` in mesh ${mesh}`}`;
  if (others > 0) return `${what} is selected, of ${others}`;
  if (kinds.every(({ type }) => type === 'Zone')) return NO_ZONES;
  return `${what}; ${mesh === '' ? '' : '-A looks in all meshes, '}\`meridianctl apply -f FILE\` makes some`;
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

async function getNamed(server: Server, resources: readonly NamedResource[], narrowed: GetOptions, command: Command): Promise<void> {
  const found: unknown[] = [];
  for (const one of resources) found.push(await withNearName(server, one, () => ask(server, resourcePath(one.kind, one.mesh, one.name))));
  const items = narrow(found.filter(isObject), narrowed);
  const kinds = new Set(resources.map(({ kind }) => kind));
  await show(server, optionsOf(command), items, found.length === 1 ? found[0] : { total: items.length, items }, kinds.size > 1);
}

async function show(server: Server, options: Options, items: readonly JsonObject[], json: unknown, withType = false): Promise<void> {
  const { output } = options;
  if (output === 'name') return write(items.map(nameLine).join(''));
  if (isTable(output) || output === 'json' || templateOf(output) !== undefined)
    return print(options, json, (paper) => formatItems(items, withType, paper));
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

/** Where kinds are mixed, the type stands before the rest. */
function formatItems(items: readonly JsonObject[], withType: boolean, paper: TableLayout): string {
  const now = Date.now();
  const rows = items.map((item) => {
    const { type, mesh, name, namespace, role, zone } = readResourceView(item);
    const row = [mesh, name, namespace, role, zone || 'global', formatAge(item.creationTime, now)];
    return withType ? [type, ...row] : row;
  });
  return formatTable(withType ? ['TYPE', ...COLUMNS] : COLUMNS, rows, paper);
}
