import { type Command, InvalidArgumentError } from 'commander';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { ask, listOf } from '../api/api-client.ts';
import { isGiven, optionsOf } from '../input/options.ts';
import { isTable, note, print } from '../terminal/output.ts';
import { textOf } from '../terminal/printable.ts';
import { readServerOf, zoneOption } from '../api/zone-server.ts';
import { type Cell, type TableLayout, formatTable, wraps } from '../terminal/table.ts';

interface AuditOptions {
  readonly by?: string;
  readonly operation?: string;
  readonly refused?: true;
  readonly kri?: string;
  readonly last: number;
}

const MOST = 1_000;
const LAST = 50;

export function addAudit(program: Command): void {
  program
    .command('audit')
    .summary('who changed what, the newest first')
    .description('Shows who changed what through the API of a control plane, and what was refused. For admins.')
    .option('--by <principal>', "a token's subject; loopback is whoever asked from that machine without one")
    .option('--operation <operation>', 'put, delete, apply, recover, issueToken, ...')
    .option('--kri <kri>', 'only about this resource')
    .option('--refused', 'only what was refused')
    .option('--last <count>', `so many entries at most, up to ${MOST}`, parseCount, LAST)
    .addOption(zoneOption())
    .action(async ({ by, operation, refused, kri, last }: AuditOptions, command: Command) => {
      const { output, mesh } = optionsOf(command);
      const narrowed = isGiven(command, 'mesh') ? mesh : undefined;
      const query = { principal: by, operation, kri, mesh: narrowed, outcome: refused ? 'refused' : undefined, size: String(last) };
      const server = readServerOf(command);
      const answer = await ask(server, '/_audit', { query });
      const items = listOf(server, answer, 'items');
      const total = isObject(answer) ? textOf(answer.total) : '';
      if (isTable(output) && items.length === 0) return note('nothing of that is recorded');
      await print(optionsOf(command), { total: Number(total), items }, (paper) => formatEntries(items, paper));
    });
}

function parseCount(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MOST) return count;
  throw new InvalidArgumentError(`It must be a count from 1 to ${MOST}.`);
}

function formatEntries(items: readonly JsonObject[], paper: TableLayout): string {
  return formatTable(['TIME', 'WHO', wraps('FROM'), 'OPERATION', 'ABOUT', 'OUTCOME', 'REVISION', 'CODE'], items.map(toRow), paper);
}

function toRow({ time, principal, address, operation, type, kri, name, outcome, revision, code }: JsonObject): Cell[] {
  const about = textOf(kri) || [textOf(type), textOf(name)].filter(Boolean).join(' ');
  const shown: Cell = outcome === 'refused' ? { text: 'refused', colour: 'red' } : textOf(outcome);
  return [
    textOf(time),
    textOf(principal) || 'nobody known',
    textOf(address),
    textOf(operation),
    about,
    shown,
    textOf(revision),
    textOf(code),
  ];
}
