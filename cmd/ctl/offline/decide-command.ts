import type { Command } from 'commander';
import { invalid } from '../../../src/errors.ts';
import type { EntryDecisions } from './decide-entry.ts';
import { collect, optionsOf } from '../input/options.ts';
import { note, print } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { type Cell, type TableLayout, formatTable, wraps } from '../terminal/table.ts';
import { readValues } from '../documents/document-values.ts';

interface DecideOptions {
  readonly file: readonly string[];
  readonly dataplane: string;
  readonly clients: string;
  readonly inbound?: string | undefined;
}

const HELP = `
CLIENTS is a list of {tags: {...}} or {spiffeId: ..., method: ..., path: ...}, or an object with that list as \`clients\`.
POLICIES are documents, or an object with a list of them as \`policies\`; what their targetRefs lead to may stand among them. The labels
kuma.io/zone and k8s.kuma.io/namespace say where each is from; without them it is from global.`;

export function addDecide(program: Command): void {
  program
    .command('decide')
    .summary('decide requests by policies, with no control plane (offline)')
    .description(
      'Shows which MeshTrafficPermissions are in force on an inbound, in their order, and what they decide for each client. Asks no server.',
    )
    .requiredOption('-f, --file <paths...>', 'the policies: files, folders or - (repeatable)', collect)
    .requiredOption('--dataplane <file>', 'the Dataplane that is called')
    .requiredOption('--clients <file>', 'who calls')
    .option('--inbound <section>', 'the name or port of the inbound, if there are several')
    .addHelpText('after', HELP)
    .action(async (options: DecideOptions, command: Command) => {
      const decided = await decide(options);
      for (const warning of decided.warnings) note(`warning: ${printable(warning)}`);
      await print(optionsOf(command), decided, (paper) => formatDecided(decided, paper));
    });
}

async function decide({ file, dataplane, clients, inbound }: DecideOptions): Promise<EntryDecisions> {
  const [{ decideEntry }, policies, targets, callers] = await Promise.all([
    import('./decide-entry.ts'),
    readValues(file, 'policies'),
    readValues([dataplane], 'dataplane'),
    readValues([clients], 'clients'),
  ]);
  if (targets.length !== 1) throw invalid([{ field: dataplane, reason: 'must hold one document: the Dataplane' }]);
  return decideEntry({ policies, dataplane: targets[0], clients: callers, section: inbound });
}

function formatDecided({ matchedInOrder, matchedInShadow, clients }: EntryDecisions, paper: TableLayout): string {
  const rows = clients.map(({ decision, shadow, decidedBy, reason }, index): Cell[] => [
    String(index),
    { text: decision, colour: decision === 'Allow' ? 'green' : 'red' },
    shadow,
    decidedBy ?? '-',
    reason,
  ]);
  const order = `in force, the last wins: ${matchedInOrder.join(', ') || '-'}\n`;
  const shadows = matchedInShadow.length > 0 ? `not enforced (shadow): ${matchedInShadow.join(', ')}\n` : '';
  return `${printable(order.trimEnd())}\n${shadows}${formatTable(['CLIENT', 'DECISION', 'SHADOW', wraps('DECIDED BY'), wraps('BECAUSE')], rows, paper)}`;
}
