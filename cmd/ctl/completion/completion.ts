import { Argument, type Command } from 'commander';
import { write } from '../terminal/output.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { type CompletedCommand, completedCommands } from './tree.ts';
import { zshCompletion } from './zsh.ts';

const SHELLS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

const HELP = `
  bash: echo 'source <(meridianctl completion bash)' >> ~/.bashrc
  zsh:  meridianctl completion zsh > "\${fpath[1]}/_meridianctl"
  fish: meridianctl completion fish > ~/.config/fish/completions/meridianctl.fish`;

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .summary('print a completion for a shell (offline)')
    .description('Prints the completion of commands, options and kinds for a shell. Asks no server.')
    .addArgument(new Argument('<shell>', 'whose').choices(Object.keys(SHELLS)))
    .addHelpText('after', HELP)
    .action((shell: string) => write(SHELLS[shell]?.(completedCommands(program)) ?? ''));
}
