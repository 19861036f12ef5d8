import type { Command } from 'commander';
import type { AccessDecided } from './access-entry.ts';
import { collect, optionsOf } from '../input/options.ts';
import { note, print } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { type Cell, type TableLayout, formatTable, wraps } from '../terminal/table.ts';
import { readValues } from '../documents/document-values.ts';

interface AccessOptions {
  readonly file: readonly string[];
  readonly queries: string;
}

const HELP = `
QUERIES is a list of {from: {...}, to: {...}, namespace: ...}, or an object with that list as \`queries\`: the attributes of the client with its site,
those of the service with its site, and the namespace whose policies are asked.
POLICIES are documents, or an object with a list of them as \`policies\`, of one mesh and one zone beside global.`;

export function addAccess(program: Command): void {
  program
    .command('access')
    .summary('decide connections by access policies, with no control plane (offline)')
    .description('Shows what AccessPolicies and PrivilegedAccessPolicies decide for connections between attributes. Asks no server.')
    .requiredOption('-f, --file <paths...>', 'the policies: files, folders or - (repeatable)', collect)
    .requiredOption('--queries <file>', 'the connections')
    .addHelpText('after', HELP)
    .action(async (options: AccessOptions, command: Command) => {
      const decided = await decide(options);
      for (const warning of decided.warnings) note(`warning: ${printable(warning)}`);
      await print(optionsOf(command), decided, (paper) => formatDecided(decided, paper));
    });
}

async function decide({ file, queries }: AccessOptions): Promise<AccessDecided> {
  const [{ accessEntry }, policies, asked] = await Promise.all([
    import('./access-entry.ts'),
    readValues(file, 'policies'),
    readValues([queries], 'queries'),
  ]);
  return accessEntry(policies, asked);
}

function formatDecided({ queries }: AccessDecided, paper: TableLayout): string {
  const rows = queries.map(({ allowed, privileged, decidedBy, reason, matchedInShadow }, index): Cell[] => [
    String(index),
    allowed ? { text: 'Allow', colour: 'green' } : { text: 'Deny', colour: 'red' },
    privileged ? 'yes' : 'no',
    decidedBy ?? '-',
    reason,
    matchedInShadow.join(', '),
  ]);
  return formatTable(['QUERY', 'DECISION', 'PRIVILEGED', wraps('DECIDED BY'), wraps('BECAUSE'), wraps('IN SHADOW')], rows, paper);
}
