import type { Command } from 'commander';
import { addSetOptions, readForSet, sendDocuments, type SetOptions } from '../documents/send-documents.ts';
import { REFUSED } from '../terminal/failure.ts';
import { collect, optionsOf } from '../input/options.ts';
import { isTable, note, print } from '../terminal/output.ts';
import { placeOf } from '../api/server-place.ts';
import { printable } from '../terminal/printable.ts';
import { withProgress } from '../terminal/progress.ts';
import { resourceTitle } from '../api/resource-path.ts';
import { serverOf } from '../api/server-address.ts';
import { paint, standardPaper } from '../terminal/table.ts';
import { type DocumentChange, changesOf } from './document-changes.ts';

interface DiffOptions extends SetOptions {
  readonly file: readonly string[];
  readonly exitCode?: true;
}

const HELP = `
Standard output is the differences alone, standard error counts them. Both sides are what a user wrote: labels and fields that a control plane
computes are left out. With --set and --prune the deletes are among them.
Exit codes are those of every command (0 done, 1 refused or failed, 2 wrong usage); with --exit-code it is 1 too where there are differences.`;

export function addDiff(program: Command): void {
  const diff = program
    .command('diff')
    .summary('show what apply would change')
    .description('Shows for each document what applying it would change, as a unified diff, and changes nothing.')
    .requiredOption('-f, --file <paths...>', 'files, folders, addresses (https://) or - (repeatable)', collect)
    .option('--exit-code', 'end with 1 where there are differences, like git diff');
  addSetOptions(diff)
    .addHelpText('after', HELP)
    .action(async ({ file, exitCode, ...set }: DiffOptions, command: Command) => {
      const { output } = optionsOf(command);
      const documents = await readForSet(file, set, command);
      const server = serverOf(command);
      const changes = await withProgress(async (progress) => {
        progress.say(`comparing ${documents.length} documents`);
        const { results } = await sendDocuments(server, documents, { ...set, dryRun: true, output });
        return changesOf(server, await placeOf(server), documents, results, set.set);
      });
      const different = changes.some(({ outcome }) => outcome !== 'unchanged');
      await print(optionsOf(command), { different, results: changes }, () => changes.map(formatChange).join(''));
      if (isTable(output)) note(countAll(changes));
      if (exitCode && different) process.exitCode = REFUSED;
    });
}

function formatChange({ type, mesh, name, outcome, diff }: DocumentChange): string {
  if (outcome === 'unchanged') return '';
  if (diff === '') return `# ${printable(resourceTitle(type, mesh, name))}: only what the control plane computes changes\n`;
  const lines = diff.slice(0, -1).split('\n').map(printable);
  return standardPaper().colours ? lines.map((line) => `${colour(line)}\n`).join('') : `${lines.join('\n')}\n`;
}

function colour(line: string): string {
  if (/^(---|\+\+\+|@@)/.test(line)) return line;
  return line.startsWith('+') ? paint(line, 'green') : line.startsWith('-') ? paint(line, 'red') : line;
}

/** `1 created, 0 changed, 2 deleted, 5 unchanged` */
function countAll(changes: readonly DocumentChange[]): string {
  const count = (wanted: string): string => `${changes.filter(({ outcome }) => outcome === wanted).length} ${wanted}`;
  return ['created', 'changed', 'deleted', 'unchanged'].map(count).join(', ');
}
