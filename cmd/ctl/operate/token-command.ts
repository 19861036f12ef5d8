import { type Command, Option } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { ask, askAll } from '../api/api-client.ts';
import { addYes, confirm } from '../input/confirm.ts';
import { optionsOf } from '../input/options.ts';
import { isTable, note, print } from '../terminal/output.ts';
import { textOf } from '../terminal/printable.ts';
import { serverOf } from '../api/server-address.ts';
import { formatTable, type TableLayout } from '../terminal/table.ts';

const ROLES = ['admin', 'zone-operator', 'read-only'];
const ISSUE_HELP = `
The token is printed once, alone, and kept nowhere: put it into a file that only its user can read.
It holds at this control plane alone. A zone operator may write on its zone's own control plane, and only read at global.`;

interface IssueOptions {
  readonly name: string;
  readonly role: string;
  readonly zone?: string;
  readonly validFor: string;
}

export function addToken(program: Command): void {
  const token = program
    .command('token')
    .description('Issues, lists and revokes the tokens that clients prove with who they are. For admins.');
  token
    .command('issue')
    .description('Makes a token and prints it.')
    .requiredOption('--name <name>', 'whose it is: shown in the audit log')
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).makeOptionMandatory())
    .option('--zone <zone>', 'of a zone operator')
    .requiredOption('--valid-for <time>', 'how long it holds, like 24h or 90m; at most a year')
    .addHelpText('after', ISSUE_HELP)
    .action(issue);
  token.command('list').description('Lists the tokens that have not expired, by their IDs; never themselves.').action(list);
  token.command('revoke').description('Refuses a token from now on, and ends what it opened.').argument('<id>').action(revoke);
  addYes(token.command('rotate-key'))
    .description('Signs tokens with another key from now on. Those that are there hold until they expire.')
    .option('--revoke', 'none that was issued before holds any more, the one that this is asked with included')
    .action(rotate);
}

async function issue({ name, role, zone, validFor }: IssueOptions, command: Command): Promise<void> {
  const issued = await ask(serverOf(command), '/tokens', { method: 'POST', body: JSON.stringify({ name, role, zone, validFor }) });
  if (!isObject(issued) || typeof issued.token !== 'string') throw new MeridianError('unavailable', 'the answer holds no token');
  const { token, id, expires } = issued;
  const { output } = optionsOf(command);
  if (isTable(output)) note(`token ${textOf(id)} of ${name}, ${role}, until ${textOf(expires)}`);
  await print(optionsOf(command), issued, () => `${token}\n`);
}

async function list(_: object, command: Command): Promise<void> {
  const items = await askAll(serverOf(command), '/tokens');
  if (items.length === 0 && isTable(optionsOf(command).output))
    return note('no token holds: `meridianctl token issue --name NAME --role ROLE --valid-for 24h` makes one');
  await print(optionsOf(command), { total: items.length, items }, (paper) => formatTokens(items, paper));
}

function formatTokens(items: readonly JsonObject[], paper: TableLayout): string {
  const rows = items.map(({ id, name, role, zone, expires, issuedBy, revoked }) => [
    textOf(id),
    textOf(name),
    zone === undefined ? textOf(role) : `${textOf(role)} (${textOf(zone)})`,
    revoked === undefined ? textOf(expires) : ({ text: 'revoked', colour: 'red' } as const),
    textOf(issuedBy),
  ]);
  return formatTable(['ID', 'NAME', 'ROLE', 'EXPIRES', 'ISSUED BY'], rows, paper);
}

async function revoke(id: string, _: object, command: Command): Promise<void> {
  const revoked = await ask(serverOf(command), `/tokens/${encodeURIComponent(id)}`, { method: 'DELETE' });
  await print(optionsOf(command), revoked, () => `token ${id} revoked\n`);
}

async function rotate({ revoke: all = false }: { revoke?: boolean }, command: Command): Promise<void> {
  if (all) await confirm(command, 'No token holds any more that was issued until now, the one that this is asked with included.');
  const answer = await ask(serverOf(command), '/tokens/keys', { method: 'POST', body: JSON.stringify({ revoke: all }) });
  const done = all ? 'no token that was issued before holds any more' : 'tokens are signed with a new key';
  await print(optionsOf(command), answer, () => `${done}\n`);
}
