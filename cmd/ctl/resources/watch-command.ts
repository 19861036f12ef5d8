import type { Command } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import type { Kind } from '../../../src/resource/kinds.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { parseKindName } from '../api/kind-name.ts';
import { type OutputFormat, isGiven, optionsOf } from '../input/options.ts';
import { isTable, note, toJson, write } from '../terminal/output.ts';
import { untilStopped } from '../terminal/until-stopped.ts';
import { printable, textOf } from '../terminal/printable.ts';
import { resourceTitle } from '../api/resource-path.ts';
import type { Server } from '../api/server-address.ts';
import { readServerOf, zoneOption } from '../api/zone-server.ts';
import { follow } from './watch-stream.ts';

const HELP = `
What is there comes first, then what changes, until it is stopped (Ctrl-C). A connection that is lost is made again, and goes on where it ended. With -o
json there is one message in each line; its "position" is what --since takes.`;

interface WatchOptions {
  readonly since?: string;
  readonly changesOnly?: true;
}

export function addWatch(program: Command): void {
  program
    .command('watch')
    .summary('show what changes, as it changes')
    .description('Shows resources as they are, and then each change.')
    .argument('[kind]', 'a type, REST path or short name: MeshTimeout, meshtimeouts, mt', parseKindName)
    .option('--changes-only', 'leave out what is there already')
    .option('--since <position>', 'go on from this position of an earlier watch')
    .addHelpText('after', HELP)
    .addOption(zoneOption())
    .action(async (kind: Kind | undefined, { since, changesOnly }: WatchOptions, command: Command) => {
      const { output, mesh } = optionsOf(command);
      if (output !== 'json' && !isTable(output)) command.error('error: watch prints a table or -o json');
      if (since !== undefined && changesOnly) command.error('error: --since says where to go on: leave --changes-only out');
      const narrowed = isGiven(command, 'mesh') && kind?.scope !== 'Global' ? mesh : undefined;
      const stop = untilStopped();
      const query = { type: kind?.type, mesh: narrowed };
      await watch(readServerOf(command), query, since ?? (changesOnly ? 'now' : undefined), output, stop);
    });
}

async function watch(
  server: Server,
  query: Readonly<Record<string, string | undefined>>,
  since: string | undefined,
  output: OutputFormat,
  stop: AbortSignal,
) {
  await follow(server, query, since, stop, {
    message: (text) => write(output === 'json' ? `${toJson(read(text), 0)}\n` : formatMessage(read(text))),
    away: (reason) => note(printable(`${server.url}: ${reason}; trying again`)),
  });
}

function read(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (isObject(value)) return value as JsonObject;
  throw new MeridianError('internal', 'a message of the watch is no object');
}

/** A line for people: `put MeshTimeout default/slow (revision 7)`; '' for what only says how far it is. */
function formatMessage({ op, revision, type, mesh, name, reason }: JsonObject): string {
  if (op === 'reset') return `everything, as of revision ${textOf(revision)} (${printable(textOf(reason))}):\n`;
  if (op !== 'put' && op !== 'delete') return '';
  return `${op.padEnd(6)} ${printable(resourceTitle(textOf(type), textOf(mesh), textOf(name)))} (revision ${textOf(revision)})\n`;
}
