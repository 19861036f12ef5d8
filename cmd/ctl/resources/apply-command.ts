import type { Command } from 'commander';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { addSetOptions, readForSet, sendDocuments, type SetOptions } from '../documents/send-documents.ts';
import { awaitPeers } from '../inspect/await-peers.ts';
import { parseSeconds, refuseRefused, saidOf, WAIT_SECONDS } from '../inspect/wait-command.ts';
import { formatChanges } from './verdict-changes.ts';
import { collect, type OutputFormat, optionsOf } from '../input/options.ts';
import { parseDryRun } from '../input/dry-run.ts';
import { isTable, note, print } from '../terminal/output.ts';
import { printable, textOf } from '../terminal/printable.ts';
import { withProgress } from '../terminal/progress.ts';
import { resourceTitle } from '../api/resource-path.ts';
import { type Server, serverOf } from '../api/server-address.ts';

interface ApplyOptions extends SetOptions {
  readonly file: readonly string[];
  readonly dryRun?: true;
  readonly wait?: true;
  readonly timeout: number;
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
    .requiredOption('-f, --file <paths...>', 'files, folders, addresses (https://) or - (repeatable)', collect)
    .option('--dry-run [where]', 'change nothing: say what would happen, and at which proxies whose verdicts would change', parseDryRun)
    .option('--wait', 'then wait until all of it is applied in every zone; fail for what one of them refuses')
    .option('--timeout <seconds>', 'with --wait: how long', parseSeconds, WAIT_SECONDS);
  addSetOptions(apply)
    .addHelpText('after', HELP)
    .action(async ({ file, dryRun, wait, timeout, ...set }: ApplyOptions, command: Command) => {
      if (wait && dryRun) command.error('error: a dry run changes nothing: leave --wait out');
      const { output } = optionsOf(command);
      const documents = await readForSet(file, set, command);
      const server = serverOf(command);
      const { results, answer } = await withProgress((progress) => {
        progress.say(`applying ${documents.length} documents`);
        return sendDocuments(server, documents, { ...set, dryRun: dryRun === true, output });
      });
      if (isTable(output)) results.forEach(tellWarnings);
      const lines = () => results.map((result) => formatResult(result, dryRun)).join('');
      if (!dryRun) {
        await print(optionsOf(command), { dryRun: false, results }, lines);
        if (isTable(output) && results.length > 1) note(summaryOf(results));
        if (wait) await waitFor(server, results, timeout, output);
        return;
      }
      const { incomplete, changes = [], callerSets = [] } = answer;
      const partly = incomplete === undefined ? {} : { incomplete };
      await print(
        optionsOf(command),
        { dryRun: true, results, ...partly, changes, callerSets },
        (paper) => `${lines()}${formatChanges(answer, paper)}`,
      );
    });
}

/** Waits until every zone has it. Throws what `awaitPeers` does, and `conflict` for what of it a zone refused. */
async function waitFor(server: Server, results: readonly JsonObject[], timeout: number, output: OutputFormat): Promise<void> {
  const peers = await awaitPeers(server, timeout);
  const applied = new Set(results.map(({ kri }) => textOf(kri)));
  for (const type of new Set(results.map((result) => textOf(result.type))))
    await refuseRefused(server, { type }, (kri) => applied.has(kri));
  if (isTable(output)) note(saidOf(peers.map(({ zone }) => zone)));
}

/** `5,000 created, 3 unchanged`. */
function summaryOf(results: readonly JsonObject[]): string {
  const counts = new Map<string, number>();
  for (const { outcome } of results) counts.set(textOf(outcome), (counts.get(textOf(outcome)) ?? 0) + 1);
  return [...counts].map(([outcome, count]) => `${count.toLocaleString('en')} ${outcome}`).join(', ');
}

/** Scripts find them in the results. */
function tellWarnings({ type, mesh, name, warnings }: JsonObject): void {
  const title = resourceTitle(textOf(type), textOf(mesh), textOf(name));
  for (const warning of Array.isArray(warnings) ? warnings : []) note(printable(`warning: ${title}: ${textOf(warning)}`));
}

function formatResult({ type, mesh, name, outcome }: JsonObject, dryRun: true | undefined): string {
  return `${printable(`${resourceTitle(textOf(type), textOf(mesh), textOf(name))} ${textOf(outcome)}`)}${dryRun ? ' (dry run)' : ''}\n`;
}
