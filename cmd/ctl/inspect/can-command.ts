import type { Command } from 'commander';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { ask } from '../api/api-client.ts';
import { optionsOf } from '../input/options.ts';
import { note, print } from '../terminal/output.ts';
import { printable, textOf } from '../terminal/printable.ts';
import { serverOf } from '../api/server-address.ts';
import { type Cell, type TableLayout, formatTable, wraps } from '../terminal/table.ts';

interface CanOptions {
  readonly from?: string;
  readonly to: string;
  readonly method?: string;
  readonly path?: string;
  readonly tags?: string;
}

export function addCan(program: Command): void {
  program
    .command('can')
    .summary('ask whether a request may enter, and which policy decides')
    .description('Shows what a control plane decides for a request, what its shadow side would, and the policies behind both.')
    .option('--from <spiffe-id>', 'who calls, by the SPIFFE ID of its certificate')
    .option('--tags <k=v,...>', 'who calls, by the tags of its proxy, where certificates carry these')
    .requiredOption(
      '--to <dataplane[:port]>',
      "the proxy that is called, by its name here or its KRI; the port's number or the inbound's name",
    )
    .option('--method <method>', 'of the request: GET')
    .option('--path <path>', 'of the request: /orders')
    .addHelpText(
      'after',
      '\nWhat is not said of a request is unknown: then no allow that asks for it matches, and every deny does.\nA deny, and what is not enforced, are answers too: exit code 0. A script reads `enforced` before `decision` (-o json).',
    )
    .action(async (options: CanOptions, command: Command) => {
      const { mesh } = optionsOf(command);
      const answer = await ask(serverOf(command), '/can', { method: 'POST', body: JSON.stringify(toQuestion(options, mesh, command)) });
      const { warnings } = isObject(answer) ? answer : {};
      for (const warning of Array.isArray(warnings) ? warnings : []) note(`warning: ${printable(textOf(warning))}`);
      await print(optionsOf(command), answer, (paper) => formatDecision(isObject(answer) ? answer : {}, paper));
    });
}

function toQuestion({ from, to, method, path, tags }: CanOptions, mesh: string, command: Command): JsonObject {
  if ((from === undefined) === (tags === undefined)) command.error('error: say who calls, with either --from or --tags');
  const colon = to.lastIndexOf(':');
  const [dataplane, port] = colon < 0 ? [to, undefined] : [to.slice(0, colon), to.slice(colon + 1)];
  if (dataplane === '' || port === '') command.error('error: --to must be DATAPLANE or DATAPLANE:PORT');
  return {
    from: from === undefined ? { tags: parseTags(tags ?? '', command) } : { spiffeId: from },
    to: { mesh, dataplane, port },
    method: method?.toUpperCase(),
    path,
  };
}

/** `kuma.io/service=web,env=dev` */
function parseTags(text: string, command: Command): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair): [string, string] => {
    const equals = pair.indexOf('=');
    if (equals < 1) command.error('error: --tags must be like kuma.io/service=web,env=dev');
    return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
  });
  return Object.fromEntries(pairs);
}

function formatDecision({ enforced, decision, shadow, decidedBy, shadowDecidedBy, reason }: JsonObject, paper: TableLayout): string {
  const rows: Cell[][] = [
    enforced === false
      ? [{ text: 'not enforced', colour: 'yellow' }, { text: `(${textOf(decision)})`, colour: 'yellow' }, textOf(decidedBy), textOf(reason)]
      : ['enforced', verdict(decision), textOf(decidedBy), textOf(reason)],
    ['shadow', verdict(shadow), textOf(shadowDecidedBy), ''],
  ];
  return formatTable(['SIDE', 'DECISION', wraps('DECIDED BY'), wraps('BECAUSE')], rows, paper);
}

function verdict(decision: JsonObject[string]): Cell {
  return { text: textOf(decision), colour: decision === 'Allow' ? 'green' : 'red' };
}
