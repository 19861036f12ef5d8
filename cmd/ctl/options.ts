import { type Command, InvalidArgumentError, Option } from 'commander';

export const FORMATS = ['table', 'yaml', 'json', 'explicit'] as const;

export type Format = (typeof FORMATS)[number];

/** The options that stand before or behind any command. */
export interface Options {
  /** Without a slash at its end. */
  readonly url: string;
  readonly output: Format;
  /** '' for all meshes. */
  readonly mesh: string;
}

const DEFAULT_URL = 'http://127.0.0.1:5681';

/** Adds them to the program. Wrong values are wrong usage, told by commander. */
export function addOptions(program: Command): void {
  program
    .addOption(
      new Option('--url <url>', 'the API of a control plane, global or zone').env('MERIDIAN_URL').default(DEFAULT_URL).argParser(parseUrl),
    )
    .addOption(new Option('-o, --output <format>', 'how to print; explicit is for `get` alone').choices(FORMATS).default('table'))
    .option('-m, --mesh <mesh>', "the mesh ('' for all, where a command lists)", 'default');
}

/** The options of the program that `command` belongs to. */
export function optionsOf(command: Command): Options {
  return command.optsWithGlobals<Options>();
}

/** Collects an option that may be repeated, each time with one or more values. */
export function collect(value: string, earlier: readonly string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}

/** An empty variable is none. */
function parseUrl(text: string): string {
  if (text === '') return DEFAULT_URL;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new InvalidArgumentError('It must be like http://127.0.0.1:5681');
  return text.replace(/\/+$/, '');
}
