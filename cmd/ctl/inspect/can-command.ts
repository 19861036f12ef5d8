import type { Command } from 'commander';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { ask, listOf } from '../api/api-client.ts';
import { readValues } from '../documents/document-values.ts';
import { optionsOf } from '../input/options.ts';
import { NOT_ENFORCED, REFUSED } from '../terminal/failure.ts';
import { note, print } from '../terminal/output.ts';
import { printable, textOf } from '../terminal/printable.ts';
import { readServerOf, zoneOption } from '../api/zone-server.ts';
import { type Cell, type TableLayout, formatTable, wraps } from '../terminal/table.ts';

interface CanOptions {
  readonly file?: string;
  readonly from?: string;
  readonly to?: string;
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
    .option('--to <dataplane[:port]>', "the proxy that is called, by its name here or its KRI; the port's number or the inbound's name")
    .option('--method <method>', 'of the request: GET')
    .option('--path <path>', 'of the request: /orders')
    .option(
      '-f, --file <file>',
      'ask all questions of this file (- for standard input) at once: a list of bodies of POST /can, in YAML or JSON',
    )
    .addHelpText(
      'after',
      '\nWhat is not said of a request is unknown: then no allow that asks for it matches, and every deny does.\nExit code 0: it may enter. 1: it may not (or the question failed, which standard error tells). 3: nothing asks what policies say there,\nso that it is neither allowed nor denied. Of several questions: the first of 1, 3 and 0 that holds for one of them. A script that needs more reads `enforced` before `decision` (-o json).',
    )
    .addOption(zoneOption())
    .action((options: CanOptions, command: Command) => (options.file === undefined ? askOne(options, command) : askMany(options, command)));
}

async function askOne(options: CanOptions, command: Command): Promise<void> {
  const { mesh } = optionsOf(command);
  const body = JSON.stringify(toQuestion(options, mesh, command));
  const answer = objectOf(await ask(readServerOf(command), '/can', { method: 'POST', body }));
  tellWarnings(answer, '');
  await print(optionsOf(command), answer, (paper) => formatDecision(answer, paper));
  process.exitCode = exitCodeOf(answer);
}

async function askMany({ file = '', ...others }: CanOptions, command: Command): Promise<void> {
  const beside = ASKED_OF_ONE.find((option) => others[option] !== undefined);
  if (beside !== undefined) command.error(`error: --${beside} asks one question: leave it out beside -f`);
  const { mesh } = optionsOf(command);
  const questions = (await readValues([file], 'questions')).map((one) => inMesh(one, mesh));
  const server = readServerOf(command);
  const answer = await ask(server, '/can/many', { method: 'POST', body: JSON.stringify({ questions }) });
  const answers = listOf(server, answer, 'answers');
  for (const [index, { verdict: given }] of answers.entries()) tellWarnings(objectOf(given), `question ${index + 1}: `);
  await print(optionsOf(command), { answers }, (paper) => formatAnswers(questions, answers, paper));
  const codes = answers.map(({ verdict: given }) => exitCodeOf(objectOf(given)));
  process.exitCode = [REFUSED, NOT_ENFORCED].find((code) => codes.includes(code)) ?? 0;
}

const ASKED_OF_ONE = ['from', 'tags', 'to', 'method', 'path'] as const;

/** The mesh that was said, where a question says none. What is no question is for the control plane to refuse. */
function inMesh(question: unknown, mesh: string): unknown {
  return isObject(question) && isObject(question.to) ? { ...question, to: { mesh, ...question.to } } : question;
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? (value as JsonObject) : {};
}

function tellWarnings({ warnings }: JsonObject, about: string): void {
  for (const warning of Array.isArray(warnings) ? warnings : []) note(`warning: ${about}${printable(textOf(warning))}`);
}

/** As `kubectl auth can-i`: only an Allow that is enforced is a yes. */
function exitCodeOf({ enforced, decision }: JsonObject): number {
  if (enforced === false) return NOT_ENFORCED;
  return decision === 'Allow' ? 0 : REFUSED;
}

function toQuestion({ from, to, method, path, tags }: CanOptions, mesh: string, command: Command): JsonObject {
  if (to === undefined) command.error("error: required option '--to <dataplane[:port]>' not specified, nor -f");
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

function formatAnswers(questions: readonly unknown[], answers: readonly JsonObject[], paper: TableLayout): string {
  const rows = answers.map(({ verdict: given, error }, index): Cell[] => {
    const { from, to, method, path } = objectOf(questions[index]);
    const asked = [callerOf(objectOf(from)), targetOf(objectOf(to)), [textOf(method), textOf(path)].filter(Boolean).join(' ')];
    const { enforced, decision, decidedBy, reason } = objectOf(given);
    if (!isObject(given)) return [...asked, { text: 'error', colour: 'red' }, '', whyNot(objectOf(error))];
    const shown: Cell = enforced === false ? { text: `not enforced (${textOf(decision)})`, colour: 'yellow' } : verdict(decision);
    return [...asked, shown, textOf(decidedBy), textOf(reason)];
  });
  return formatTable(['FROM', 'TO', 'REQUEST', 'DECISION', wraps('DECIDED BY'), wraps('BECAUSE')], rows, paper);
}

function callerOf({ spiffeId, spiffeIds, tags }: JsonObject): string {
  if (isObject(tags))
    return Object.entries(tags as JsonObject)
      .map(([tag, value]) => `${tag}=${textOf(value)}`)
      .join(',');
  return textOf(spiffeId) || (Array.isArray(spiffeIds) ? spiffeIds.map(textOf).join(',') || 'no certificate' : '');
}

function targetOf({ dataplane, port }: JsonObject): string {
  return [textOf(dataplane), textOf(port)].filter(Boolean).join(':');
}

function whyNot({ detail, invalid_parameters: problems }: JsonObject): string {
  const [first] = Array.isArray(problems) ? problems : [];
  return isObject(first) ? `${textOf((first as JsonObject).field)} ${textOf((first as JsonObject).reason)}` : textOf(detail);
}

function verdict(decision: JsonObject[string]): Cell {
  return { text: textOf(decision), colour: decision === 'Allow' ? 'green' : 'red' };
}
