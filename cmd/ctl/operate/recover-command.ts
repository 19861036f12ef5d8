import type { Command } from 'commander';
import { isObject } from '../../../src/resource/field-path.ts';
import { ask } from '../api/api-client.ts';
import { optionsOf } from '../input/options.ts';
import { print } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { serverOf } from '../api/server-address.ts';

const HELP = `
After a restore from a backup, run it without options at the control plane that was restored: it then sends again, in a new term.
PEER is a zone's name, or "global" when a zone is asked.`;

export function addRecover(program: Command): void {
  program
    .command('recover')
    .summary("an operator's word after a restore or a lost store")
    .description("Gives an operator's word to a control plane after a store was restored or lost.")
    .option('--accept-store <peer>', 'accept the store that now speaks for this peer: its old one is lost')
    .option('--store <id>', 'with --accept-store: which store; without it, the one that was refused last')
    .option('--drop-absent <peer>', 'give up what this peer sent before and has not sent since')
    .addHelpText('after', HELP)
    .action(async (order: { acceptStore?: string; store?: string; dropAbsent?: string }, command: Command) => {
      const answer = await ask(serverOf(command), '/_recover', { method: 'POST', body: JSON.stringify(order) });
      const done = isObject(answer) && Array.isArray(answer.done) ? answer.done.map(String) : [];
      await print(optionsOf(command), { done }, () => done.map((sentence) => `${printable(sentence)}\n`).join(''));
    });
}
