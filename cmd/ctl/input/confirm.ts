import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';

/** Adds `--yes`, for what can't be taken back. */
export function addYes(command: Command): Command {
  return command.option('--yes', 'do it without asking');
}

/**
 * Asks on a terminal whether to go on with what can't be taken back; no answer but `yes` or `y` does. Where nobody can
 * be asked, `--yes` must be there: wrong usage without.
 */
export async function confirm(command: Command, consequence: string): Promise<void> {
  if (command.opts<{ yes?: true }>().yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) command.error(`error: ${consequence} Say --yes if that is meant`);
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asking.question(`${consequence} Go on? [y/N] `);
  asking.close();
  if (!/^y(es)?$/i.test(answer.trim())) command.error('error: nothing was changed');
}
