import { type Command, InvalidArgumentError, Option } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import { DNS_LABEL_REASON, isDnsLabel } from '../../../src/resource/dns-names.ts';
import type { LintResult, LintPlace, DocumentFacts } from './lint-document.ts';
import { REFUSED } from '../terminal/failure.ts';
import { collect, optionsOf } from '../input/options.ts';
import { note, print } from '../terminal/output.ts';
import { printable, textOf } from '../terminal/printable.ts';
import { readSources } from '../documents/document-sources.ts';
import { type Cell, formatTable, type TableLayout } from '../terminal/table.ts';

interface LintOptions extends LintPlace {
  readonly file: readonly string[];
}

/** A document with the file that it is from. */
interface LintedDocument extends LintResult {
  readonly file: string;
  readonly position: number;
}

const HELP = `
Where a document is linted as applied:
  with --zone, --environment or --system-namespace: on that zone (default: "zone-1", kubernetes, kuma-system)
  without, a document with a namespace:             on the kubernetes zone "zone-1", for global has no namespaces
  without, any other document:                      on global
What is accepted and may not do as expected is a warning, on standard error.
Exit code 1 if any document has problems.`;

export function addLint(program: Command): void {
  program
    .command('lint')
    .summary('check documents, and show their role, reach and explicit form (offline)')
    .description('Checks documents as a control plane would, and shows what role they have and how far they reach. Asks no server.')
    .requiredOption('-f, --file <paths...>', 'files, folders or - (repeatable)', collect)
    .option('--zone <zone>', 'lint as on this zone', parseLabel)
    .addOption(new Option('--environment <environment>', 'of the zone').choices(['kubernetes', 'universal']))
    .option('--system-namespace <namespace>', 'of the zone', parseLabel)
    .addHelpText('after', HELP)
    .action(async (options: LintOptions, command: Command) => {
      const found = await lint(options);
      const results = found.map(({ linted }) => linted);
      for (const { file, position, warnings } of found)
        for (const warning of warnings) note(printable(`warning: ${file}, document ${position}: ${warning}`));
      await print(optionsOf(command), results, (paper) => formatLinted(found, paper));
      if (results.some(({ problems }) => problems.length > 0)) process.exitCode = REFUSED;
    });
}

async function lint({ file, ...where }: LintOptions): Promise<LintedDocument[]> {
  const [{ lintText }, sources] = await Promise.all([import('./lint-document.ts'), readSources(file)]);
  const found = sources.flatMap((source) =>
    lintText(source.text, where).map((checked, index) => ({ ...checked, file: source.file, position: index + 1 })),
  );
  if (found.length === 0) throw new MeridianError('invalid', `there are no documents in ${file.join(', ')}`);
  return found;
}

/** A line for each document, then all problems, each with its place. */
function formatLinted(found: readonly LintedDocument[], paper: TableLayout): string {
  const table = formatTable(
    ['TYPE', 'NAME', 'NAMESPACE', 'ROLE', 'REACHES', 'PROBLEMS'],
    found.map(({ linted }) => toRow(linted)),
    paper,
  );
  const problems = found.flatMap(({ file, position, linted }) =>
    linted.problems.map(({ field, reason }) => printable(`${file}, document ${position}: ${field}: ${reason}`)),
  );
  return problems.length === 0 ? table : `${table}\n${problems.join('\n')}\n`;
}

function toRow({ type, name, namespace, role, reaches, problems }: DocumentFacts): Cell[] {
  const count: Cell = problems.length === 0 ? { text: 'none', colour: 'green' } : { text: String(problems.length), colour: 'red' };
  return [...[type, name, namespace, role, reaches].map(textOf), count];
}

function parseLabel(text: string): string {
  if (isDnsLabel(text)) return text;
  throw new InvalidArgumentError(`It ${DNS_LABEL_REASON}.`);
}
