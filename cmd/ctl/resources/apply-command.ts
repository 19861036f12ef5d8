import type { Command } from 'commander';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { addSetOptions, readForSet, sendDocuments, type SetOptions } from '../documents/send-documents.ts';
import { formatChanges } from './verdict-changes.ts';
import { collect, optionsOf } from '../input/options.ts';
import { note, print } from '../terminal/output.ts';
import { printable, textOf } from '../terminal/printable.ts';
import { withProgress } from '../terminal/progress.ts';
import { resourceTitle } from '../api/resource-path.ts';
import { serverOf } from '../api/server-address.ts';

interface ApplyOptions extends SetOptions {
  readonly file: readonly string[];
  readonly dryRun?: true;
}

const HELP = `
For a folder that is kept in git:
  meridianctl apply -f policies/ --set shop --prune
What is of the set and no longer in the folder is deleted, in one commit with the rest; nothing else is ever deleted. A resource that another set
applied is refused. What is applied without --set is of no set any more. A Zone is never pruned.`;

export function addApply(program: Command): void {
  const apply = program
    .command('apply')
    .summary('create or change resources: all documents or none')
    .description('Applies documents in both formats, all or nothing.')
    .requiredOption('-f, --file <paths...>', 'files, folders or - (repeatable)', collect)
    .option('--dry-run', 'change nothing: say what would happen, and at which proxies whose verdicts would change');
  addSetOptions(apply)
    .addHelpText('after', HELP)
    .action(async ({ file, dryRun, ...set }: ApplyOptions, command: Command) => {
      const { output } = optionsOf(command);
      const documents = await readForSet(file, set, command);
      const server = serverOf(command);
      const { results, answer } = await withProgress((progress) => {
        progress.say(`applying ${documents.length} documents`);
        return sendDocuments(server, documents, { ...set, dryRun: dryRun === true, output });
      });
      if (output === 'table') results.forEach(tellWarnings);
      const lines = () => results.map((result) => formatResult(result, dryRun)).join('');
      if (!dryRun) return print(output, { dryRun: false, results }, lines);
      const { incomplete, changes = [], callerSets = [] } = answer;
      const partly = incomplete === undefined ? {} : { incomplete };
      await print(output, { dryRun: true, results, ...partly, changes, callerSets }, () => `${lines()}${formatChanges(answer)}`);
    });
}

/** Scripts find them in the results. */
function tellWarnings({ type, mesh, name, warnings }: JsonObject): void {
  const title = resourceTitle(textOf(type), textOf(mesh), textOf(name));
  for (const warning of Array.isArray(warnings) ? warnings : []) note(printable(`warning: ${title}: ${textOf(warning)}`));
}

function formatResult({ type, mesh, name, outcome }: JsonObject, dryRun: true | undefined): string {
  return `${printable(`${resourceTitle(textOf(type), textOf(mesh), textOf(name))} ${textOf(outcome)}`)}${dryRun ? ' (dry run)' : ''}\n`;
}
