import { type Command, InvalidArgumentError } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import { DNS_LABEL_REASON, isDnsLabel } from '../../../src/resource/dns-names.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { ask, listOf } from '../api/api-client.ts';
import { type OutputFormat, isGiven } from '../input/options.ts';
import type { Server } from '../api/server-address.ts';
import { addVariables, type Variables } from './fill-variables.ts';
import { type LocatedDocument, locate, noDocuments, readLocated, readSome } from './locate-document.ts';

/** As what documents are applied. */
export interface SetOptions {
  readonly set?: string;
  readonly prune?: true;
  readonly allowEmpty?: true;
  /** Filled in where the documents are read. */
  readonly var?: Variables;
}

export interface SendOptions extends SetOptions {
  readonly dryRun: boolean;
  /** Scripts get problems as the control plane tells them, people where they find them. */
  readonly output: OutputFormat;
}

/** What a control plane makes of documents: in their order, with what was pruned behind them. */
export interface SentDocuments {
  readonly results: readonly JsonObject[];
  /** The whole answer: a dry run may say more. */
  readonly answer: JsonObject;
}

/** Adds `--set`, `--prune`, `--allow-empty` and `--var`. */
export function addSetOptions(command: Command): Command {
  return addVariables(command)
    .option('--set <name>', 'mark the documents as one set (label meridian.io/set), that --prune can tell from others', parseSet)
    .option('--prune', 'delete what was applied as this --set earlier and is no longer in the files, in the same commit')
    .option('--allow-empty', 'with --prune: files without any document delete the whole set');
}

/** Reads the documents of `-f` as these options want them. Wrong combinations are wrong usage. */
export async function readForSet(
  paths: readonly string[],
  { set, prune, allowEmpty, var: variables }: SetOptions,
  command: Command,
): Promise<LocatedDocument[]> {
  if (isGiven(command, 'mesh')) command.error(`error: ${command.name()} takes the mesh from the documents: leave -m out`);
  if (prune && set === undefined) command.error('error: --prune deletes only what was applied as a set: say which with --set');
  if (allowEmpty && !prune) command.error('error: --allow-empty is for --prune');
  if (!prune) return readSome(paths, variables);
  const each = await Promise.all(paths.map((path) => readLocated([path], variables)));
  // One folder of several that came out empty is a broken checkout as much as all of them.
  const empty = paths.filter((_, index) => each[index]?.length === 0);
  if (empty.length > 0 && !allowEmpty)
    throw noDocuments(empty, 'with --prune that would delete what was there: if it is meant, say --allow-empty');
  return each.flat();
}

/**
 * Sends documents as a list in JSON: what was read is what is sent, whatever anchors and merges it was written with.
 */
export async function sendDocuments(server: Server, documents: readonly LocatedDocument[], options: SendOptions): Promise<SentDocuments> {
  const { set, prune, allowEmpty, dryRun, output } = options;
  const body = JSON.stringify(documents.map(({ value }) => value));
  const flag = (on: boolean | undefined) => (on ? 'true' : undefined);
  const query = { dryRun: flag(dryRun), set, prune: flag(prune), allowEmpty: flag(allowEmpty) };
  try {
    const answer = await ask(server, '/apply', { method: 'POST', query, body });
    return { results: listOf(server, answer, 'results'), answer: isObject(answer) ? answer : {} };
  } catch (thrown) {
    throw thrown instanceof MeridianError ? withAdvice(output === 'json' ? thrown : locate(thrown, documents)) : thrown;
  }
}

function withAdvice(error: MeridianError): MeridianError {
  const { code, message, problems, hint } = error;
  if (hint !== undefined || !problems.some(({ reason }) => / is not a kind/.test(reason))) return error;
  return new MeridianError(code, message, { problems, hint: '`meridianctl import -f FILE` takes over what the real kumactl exported' });
}

function parseSet(text: string): string {
  if (isDnsLabel(text)) return text;
  throw new InvalidArgumentError(`It ${DNS_LABEL_REASON}.`);
}
