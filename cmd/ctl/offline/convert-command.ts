import type { Command } from 'commander';
import type { Problem } from '../../../src/errors.ts';
import type { ConvertedDocuments } from '../../../src/policy/convert/convert-documents.ts';
import { FILE_LIMITS } from '../../../src/resource/documents/reading-limits.ts';
import { itemsOf, type LocatedDocument, titleOf } from '../documents/locate-document.ts';
import { REFUSED } from '../terminal/failure.ts';
import { collect, optionsOf } from '../input/options.ts';
import { note, toJson, toYaml, write } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { readSources } from '../documents/document-sources.ts';

const HELP = `
Prints YAML (JSON with -o json) that \`apply\` takes. Convert policies that are applied together in one go: their names are chosen so that they
win over one another as they did. What can't be converted is told on standard error and left out; the exit code is then 1.`;

export function addConvert(program: Command): void {
  program
    .command('convert')
    .summary("turn policies of the early form (`conf`) into today's (offline)")
    .description(
      "Turns policies of the early form, which `conf` marks, into today's. Any other document is printed as it is. Asks no server.",
    )
    .requiredOption('-f, --file <paths...>', 'files, folders or - (repeatable)', collect)
    .addHelpText('after', HELP)
    .action(async ({ file }: { file: readonly string[] }, command: Command) => {
      const { documents, problems } = await convert(file);
      for (const { field, reason } of problems) note(printable(`${field}: ${reason}`));
      write(optionsOf(command).output === 'json' ? `${toJson(documents)}\n` : await toStream(documents));
      if (problems.length > 0) process.exitCode = REFUSED;
    });
}

async function convert(paths: readonly string[]): Promise<ConvertedDocuments> {
  const [{ convertEarly }, { readDocuments }, sources] = await Promise.all([
    import('../../../src/policy/convert/convert-documents.ts'),
    import('../../../src/resource/documents/read-documents.ts'),
    readSources(paths),
  ]);
  const problems: Problem[] = [];
  const located = sources.flatMap(({ file, text }) =>
    readDocuments(text, FILE_LIMITS).flatMap((read, index): LocatedDocument[] => {
      const where = `${file}, document ${index + 1}`;
      if (!('problem' in read)) return itemsOf(where, read.value);
      problems.push({ field: where, reason: read.problem.reason });
      return [];
    }),
  );
  const converted = convertEarly(located.map(({ value }) => value));
  return { documents: converted.documents, problems: [...problems, ...converted.problems.map((problem) => locateOne(problem, located))] };
}

/** `documents[1].conf.to` is `policies.yaml, document 2 (TrafficLog all): conf.to` to people. */
function locateOne({ field, reason }: Problem, located: readonly LocatedDocument[]): Problem {
  const [, index, rest = ''] = /^documents\[(\d+)\]\.?(.*)$/s.exec(field) ?? [];
  const document = index === undefined ? undefined : located[Number(index)];
  if (!document) return { field, reason };
  return { field: [`${document.where}${titleOf(document.value)}`, rest].filter(Boolean).join(': '), reason };
}

async function toStream(documents: readonly unknown[]): Promise<string> {
  return (await Promise.all(documents.map(toYaml))).join('---\n');
}
