import { type Command, InvalidArgumentError } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import type { Kind } from '../../../src/resource/kinds.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { formatAge } from '../terminal/age.ts';
import { askAll } from '../api/api-client.ts';
import { parseKindName } from '../api/kind-name.ts';
import { optionsOf } from '../input/options.ts';
import { isTable, note, print } from '../terminal/output.ts';
import { textOf } from '../terminal/printable.ts';
import { readServerOf, zoneOption } from '../api/zone-server.ts';
import { watchLedger } from './watch-ledger.ts';
import { type Cell, type Column, type Colour, type TableLayout, below, context, formatTable } from '../terminal/table.ts';

const COLOURS: Readonly<Record<string, Colour>> = { applied: 'green', refused: 'red', 'on its way': 'yellow', unverified: 'yellow' };

const STATES = Object.keys(COLOURS);

interface LedgerOptions {
  readonly peer?: string;
  readonly state?: string;
  readonly watch?: true;
}

export function addLedger(program: Command): void {
  program
    .command('ledger')
    .summary('where each resource stands in each zone')
    .description('Shows for each resource and peer: applied, refused and why, or on its way, and since when; a delete on its way too.')
    .argument('[kind]', 'a type, REST path or short name: MeshTimeout, meshtimeouts, mt', parseKindName)
    .argument('[name]', 'the name that the resource has where it was made')
    .option('--peer <peer>', 'only at this zone (or global)')
    .option('--state <state>', `only what is ${STATES.join(', ')}`, parseState)
    .option('-w, --watch', 'then a row for each entry that changes, until it is stopped (Ctrl-C)')
    .addOption(zoneOption())
    .action(async (kind: Kind | undefined, name: string | undefined, { peer, state, watch }: LedgerOptions, command: Command) => {
      const { output, mesh } = optionsOf(command);
      const narrowed = command.getOptionValueSourceWithGlobals('mesh') === 'cli' || name !== undefined;
      const query = { type: kind?.type, name, peer, mesh: narrowed && kind?.scope !== 'Global' ? mesh : undefined };
      if (watch) {
        if (output !== 'json' && !isTable(output)) command.error('error: -w prints a table or -o json');
        return watchLedger(readServerOf(command), { query, state, columns: ledgerColumns(), toRow: ledgerRow }, command);
      }
      let rest: unknown;
      const all = await askAll(readServerOf(command), '/_ledger', query, (_, page) => {
        rest = page;
      });
      const items = state === undefined ? all : all.filter((item) => item.state === state);
      if (all.length === 0) requireExisting(rest, name);
      tellRest(rest);
      if (items.length === 0 && isTable(output))
        return note(all.length > 0 ? `nothing of that is ${state}` : 'nothing of that is sent to anybody');
      await print(optionsOf(command), { items }, (paper) => formatEntries(items, paper));
    });
}

function parseState(text: string): string {
  if (STATES.includes(text)) return text;
  throw new InvalidArgumentError(`It must be one of ${STATES.join(', ')}.`);
}

/** Throws `not_found` where nothing has that name, and no delete of it is on its way. */
function requireExisting(answer: unknown, name: string | undefined): void {
  if (name === undefined || !isObject(answer) || answer.exists !== false) return;
  throw new MeridianError('not_found', `there is nothing of the name ${name} here, and no delete of it is on its way`, {
    hint: 'Look with `meridianctl get KIND`; --mesh says in which mesh.',
  });
}

/** What the table has no row for. */
function tellRest(answer: unknown): void {
  if (!isObject(answer)) return;
  for (const one of Array.isArray(answer.unknown) ? answer.unknown.filter(isObject) : [])
    note(`${textOf(one.peer)}: ${textOf(one.reason)}`);
  const { proxies } = answer;
  if (!isObject(proxies)) return;
  note(`in force: ${textOf(proxies.current)} of ${textOf(proxies.connected)} connected proxies took all that is applied in this zone`);
}

function ledgerColumns(): readonly Column[] {
  return ['TYPE', context('MESH'), 'NAME', context('NAMESPACE'), context('ORIGIN'), 'PEER', 'STATE', 'SINCE', below('REASON')];
}

/** A line for each resource and peer. */
export function formatEntries(items: readonly JsonObject[], paper: TableLayout): string {
  const now = Date.now();
  return formatTable(
    ledgerColumns(),
    items.map((item) => ledgerRow(item, now)),
    paper,
  );
}

function ledgerRow(item: JsonObject, now: number): Cell[] {
  const { type, mesh, name, namespace, zone, peer, state, since, reason, deleted } = item;
  const colour = COLOURS[textOf(state)];
  const text = deleted === true ? `delete ${textOf(state)}` : textOf(state);
  const shown: Cell = colour === undefined ? text : { text, colour };
  const before = [type, mesh, name, namespace, zone || 'global', peer].map(textOf);
  return [...before, shown, formatAge(since, now), textOf(reason)];
}
