import type { Command } from 'commander';
import { invalid, MeridianError, type Problem } from '../../src/errors.js';
import { isObject } from '../../src/resource/path.js';
import type { JsonObject } from '../../src/resource/resource.js';
import { ask, listOf } from './client.js';
import { type Format, collect, optionsOf } from './options.js';
import { print } from './output.js';
import { textOf } from './printable.js';
import { resourceTitle } from './resource-path.js';
import { type Server, serverOf } from './server.js';
import { readSources } from './sources.js';

/** One document, and where the user finds it. */
interface Located {
  readonly where: string;
  readonly value: unknown;
}

export function addApply(program: Command): void {
  program
    .command('apply')
    .summary('create or change resources: all documents or none')
    .description('Applies documents in both formats, all or nothing.')
    .requiredOption('-f, --file <paths...>', 'files, folders or - (repeatable)', collect)
    .option('--dry-run', 'ask what would happen, and change nothing')
    .action(async ({ file, dryRun }: { file: string[]; dryRun?: true }, command: Command) => {
      const { output } = optionsOf(command);
      refuseMesh(command);
      const documents = await readAll(file);
      const results = await send(serverOf(command), documents, dryRun === true, output);
      await print(output, { dryRun: dryRun === true, results }, () => results.map((result) => formatResult(result, dryRun)).join(''));
    });
}

/** Documents say themselves which mesh they are for: one that was meant for `-m` must not land in `default`. */
function refuseMesh(command: Command): void {
  if (command.getOptionValueSourceWithGlobals('mesh') === 'cli')
    command.error('error: apply takes the mesh from the documents: leave -m out');
}

/** Reads all documents; what can't be read, or sent, is told at once, before anything is sent. */
async function readAll(paths: readonly string[]): Promise<Located[]> {
  const [{ readDocuments }, { shapeProblems }, sources] = await Promise.all([
    import('../../src/resource/documents.js'),
    import('../../src/resource/limits.js'),
    readSources(paths),
  ]);
  const problems: Problem[] = [];
  const documents = sources.flatMap(({ file, text }) =>
    readDocuments(text).map((read, index) => {
      const where = `${file}, document ${index + 1}`;
      // JSON would write numbers that it hasn't (.inf) as null.
      const found = 'problem' in read ? [read.problem] : shapeProblems(read.value, []);
      problems.push(...found.map(({ field, reason }) => ({ field: [where, field].filter(Boolean).join(': '), reason })));
      return { where, value: 'value' in read ? read.value : undefined };
    }),
  );
  if (problems.length > 0) throw invalid(problems);
  if (documents.length === 0) throw new MeridianError('invalid', `there are no documents in ${paths.join(', ')}`);
  return documents;
}

/** As a list in JSON: what was read is what is sent, whatever anchors and merges it was written with. */
async function send(server: Server, documents: readonly Located[], dryRun: boolean, output: Format): Promise<JsonObject[]> {
  const body = JSON.stringify(documents.map(({ value }) => value));
  const query = { dryRun: dryRun ? 'true' : undefined };
  try {
    return listOf(server, await ask(server, '/apply', { method: 'POST', query, body }), 'results');
  } catch (thrown) {
    throw thrown instanceof MeridianError && output !== 'json' ? locate(thrown, documents) : thrown;
  }
}

/** `[1].spec.to` of several documents is `policies.yaml, document 2 (MeshTimeout slow): spec.to` to people. */
function locate(error: MeridianError, documents: readonly Located[]): MeridianError {
  const problems = error.problems.map(({ field, reason }) => {
    const [, index, rest] = /^\[(\d+)\]\.?(.*)$/s.exec(field) ?? [];
    const document = documents[index === undefined ? (documents.length === 1 ? 0 : -1) : Number(index)];
    if (!document) return { field, reason };
    return {
      field: [`${document.where}${titleOf(document.value)}`, index === undefined ? field : rest].filter(Boolean).join(': '),
      reason,
    };
  });
  return new MeridianError(error.code, error.message, { problems, ...(error.hint === undefined ? {} : { hint: error.hint }) });
}

function titleOf(value: unknown): string {
  if (!isObject(value)) return '';
  const { type, kind, name, metadata } = value;
  const words = [type ?? kind, name ?? (isObject(metadata) ? metadata.name : undefined)];
  const title = words.filter((word) => typeof word === 'string').join(' ');
  return title === '' ? '' : ` (${title})`;
}

function formatResult({ type, mesh, name, outcome }: JsonObject, dryRun: true | undefined): string {
  return `${resourceTitle(textOf(type), textOf(mesh), textOf(name))} ${textOf(outcome)}${dryRun ? ' (dry run)' : ''}\n`;
}
