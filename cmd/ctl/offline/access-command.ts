import type { Command } from 'commander';
import type { AccessDecided } from './access-entry.ts';
import { type LiveAccessOptions, askAccess } from '../inspect/access-live.ts';
import { collect, optionsOf } from '../input/options.ts';
import { note, print } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { type Cell, type TableLayout, formatTable, wraps } from '../terminal/table.ts';
import { readValues } from '../documents/document-values.ts';

interface AccessOptions extends LiveAccessOptions {
  readonly file?: readonly string[];
  readonly queries?: string;
}

const HELP = `
Without files it asks a control plane, about a proxy or about attributes that are made up:
  meridianctl access --from web-1.pay --to ledger --namespace pay
  meridianctl access --attributes k8s:ns=pay,site:name=east --to ledger --namespace pay
With --connect a zone asks the zone of the service, and shows what both say:
  meridianctl access --from web-1.pay --to ledger --namespace pay --connect
With files it asks none. QUERIES is a list of {from: {...}, to: {...}, namespace: ...}, or an object with that list as \`queries\`: the attributes
of the client with its site, those of the service with its site, and the namespace whose policies are asked.
POLICIES are documents, or an object with a list of them as \`policies\`, of one mesh and one zone beside global.`;

export function addAccess(program: Command): void {
  program
    .command('access')
    .summary('ask who may reach what by attributes, of a control plane or of files (offline)')
    .description(
      'Shows what AccessPolicies and PrivilegedAccessPolicies decide for connections between attributes, and which site is picked.',
    )
    .option('--from <dataplane>', 'who calls: a proxy, by its name here or its KRI')
    .option('--attributes <k=v,...>', 'who calls, made up: its attributes with those of its site')
    .option('--zone <zone>', 'with --attributes, at global: whose policies are asked')
    .option('--to <service>', 'what is called: the display name of its MeshServices')
    .option('--to-attributes <k=v,...>', 'what is called, made up: its attributes with those of its site')
    .option('--namespace <namespace>', 'of the service: whose policies are asked')
    .option('--connect', 'at a zone: let the proxy in; both zones decide, and the answer has the token for one call')
    .option('--identity <spiffe-id>', 'with --connect: what the caller will prove, if not that of the proxy')
    .option('-f, --file <paths...>', 'offline: the policies: files, folders or - (repeatable)', collect)
    .option('--queries <file>', 'offline: the connections')
    .addHelpText('after', HELP)
    .action(async (options: AccessOptions, command: Command) => {
      const { file, queries } = options;
      if ((file === undefined) !== (queries === undefined)) command.error('error: -f and --queries go together');
      if (file === undefined || queries === undefined) return askAccess(options, command);
      const decided = await decide(file, queries);
      for (const warning of decided.warnings) note(`warning: ${printable(warning)}`);
      await print(optionsOf(command), decided, (paper) => formatDecided(decided, paper));
    });
}

async function decide(file: readonly string[], queries: string): Promise<AccessDecided> {
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
