import type { Argument, Command, Option } from 'commander';
import { KINDS } from '../../../src/resource/kinds.ts';

/** What may follow an option, or be an argument: nothing, one of these words, a file, or something unknown. */
export type ValueCompletion = 'none' | 'file' | 'free' | readonly string[];

export interface CompletedOption {
  /** `-o`, `--output` */
  readonly flags: readonly string[];
  readonly description: string;
  readonly value: ValueCompletion;
}

/** A command as a shell completes it. */
export interface CompletedCommand {
  /** The words that lead to it: `` for the program, `config control-planes`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletedOption[];
  /** Of its first argument. */
  readonly argument: ValueCompletion;
}

/** The program and all its commands, each after the one that it belongs to. */
export function completedCommands(command: Command, path = ''): CompletedCommand[] {
  const [argument] = command.registeredArguments;
  const own: CompletedCommand = {
    path,
    commands: command.commands.map((one) => ({ name: one.name(), description: describe(one) })),
    options: command.options.filter(({ hidden }) => !hidden).map(toOption),
    argument: argument ? argumentValue(argument) : 'none',
  };
  return [own, ...command.commands.flatMap((one) => completedCommands(one, `${path} ${one.name()}`.trim()))];
}

/** One line about a command. */
function describe(command: Command): string {
  return command.summary() || command.description();
}

function toOption({ short, long, description, flags, argChoices, required, optional }: Option): CompletedOption {
  const names = [short, long].filter((flag) => flag !== undefined);
  if (!required && !optional) return { flags: names, description, value: 'none' };
  return { flags: names, description, value: argChoices ?? (/<(file|paths|folder|dir)/.test(flags) ? 'file' : 'free') };
}

function argumentValue(argument: Argument): ValueCompletion {
  const [first, ...more] = argument.name().split('|');
  return first === 'kind' ? [...KINDS.map(({ path }) => path), ...more] : (argument.argChoices ?? 'free');
}
