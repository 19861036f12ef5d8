import type { Command } from 'commander';
import { isObject } from '../../../src/resource/field-path.ts';
import { ask } from '../api/api-client.ts';
import { addYes, confirm } from '../input/confirm.ts';
import { optionsOf } from '../input/options.ts';
import { print } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { serverOf } from '../api/server-address.ts';

const HELP = `
After a restore from a backup, run it without options at the control plane that was restored: it then sends again, in a new term.
PEER is a zone's name, or "global" when a zone is asked.`;

interface RecoverFlags {
  readonly acceptStore?: string;
  readonly store?: string;
  readonly dropAbsent?: string;
}

export function addRecover(program: Command): void {
  addYes(program.command('recover'))
    .summary("an operator's word after a restore or a lost store")
    .description("Gives an operator's word to a control plane after a store was restored or lost.")
    .option('--accept-store <peer>', 'accept the store that now speaks for this peer: its old one is lost')
    .option('--store <id>', 'with --accept-store: which store; without it, the one that was refused last')
    .option('--drop-absent <peer>', 'give up what this peer sent before and has not sent since')
    .addHelpText('after', HELP)
    .action(async ({ acceptStore, store, dropAbsent }: RecoverFlags, command: Command) => {
      if (dropAbsent !== undefined) await confirm(command, `What ${dropAbsent} sent before and has not sent since is given up here.`);
      const answer = await ask(serverOf(command), '/_recover', {
        method: 'POST',
        body: JSON.stringify({ acceptStore, store, dropAbsent }),
      });
      const done = isObject(answer) && Array.isArray(answer.done) ? answer.done.map(String) : [];
      await print(optionsOf(command), { done }, () => done.map((sentence) => `${printable(sentence)}\n`).join(''));
    });
}
