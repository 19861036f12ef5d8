import { type Command, InvalidArgumentError, Option } from 'commander';
import { JsonPathError } from '../terminal/json-path.ts';
import { parseTemplate } from '../terminal/json-path-template.ts';

const TEMPLATE = 'jsonpath=';
const FORMATS = ['table', 'wide', 'name', 'yaml', 'json', 'explicit'] as const;

/** `jsonpath=` has a template behind it (terminal/json-path-template.ts). */
export type OutputFormat = (typeof FORMATS)[number] | `jsonpath=${string}`;

/** The options that stand before or behind any command. Which control plane they come to says `serverOf`. */
export interface Options {
  /** Without a slash at its end; undefined: not given. */
  readonly url?: string;
  readonly context?: string;
  readonly tokenFile?: string;
  readonly caCertFile?: string;
  readonly output: OutputFormat;
  /** Whether tables have a line of headings. */
  readonly headers: boolean;
  /** '' for all meshes. */
  readonly mesh: string;
}

export const DEFAULT_URL = 'http://127.0.0.1:5681';

/** Adds them to the program. Wrong values are wrong usage, told by commander. */
export function addOptions(program: Command): void {
  program
    .addOption(
      new Option('--url <url>', `the API of a control plane, global or zone (not said: the current context's, else ${DEFAULT_URL})`)
        .env('MERIDIAN_URL')
        .argParser((text) => (text === '' ? undefined : parseUrl(text))),
    )
    .option('--context <name>', 'a control plane of `config control-planes`; it wins over MERIDIAN_URL and MERIDIAN_TOKEN')
    .addOption(
      new Option(
        '--token-file <file>',
        'a file with the bearer token, - for standard input (also: MERIDIAN_TOKEN holds the token itself)',
      ).env('MERIDIAN_TOKEN_FILE'),
    )
    .addOption(new Option('--ca-cert-file <file>', "a PEM file with the CA of the API's certificate").env('MERIDIAN_CA_CERT_FILE'))
    .addOption(
      new Option(
        '-o, --output <format>',
        "how to print, or jsonpath='{.items[*].name}', as kubectl has it; wide: a table that fits no terminal; name and explicit are for `get` alone",
      )
        .choices(FORMATS)
        .argParser(parseFormat)
        .default('table'),
    )
    .option('--no-headers', 'tables without their line of headings')
    .option('-m, --mesh <mesh>', "the mesh ('' for all, where a command lists)", 'default');
}

function parseFormat(text: string): OutputFormat {
  const plain = FORMATS.find((one) => one === text);
  if (plain) return plain;
  if (!text.startsWith(TEMPLATE)) throw new InvalidArgumentError(`It must be one of ${FORMATS.join(', ')}, ${TEMPLATE}TEMPLATE.`);
  try {
    parseTemplate(text.slice(TEMPLATE.length));
  } catch (thrown) {
    throw thrown instanceof JsonPathError ? new InvalidArgumentError(thrown.message) : thrown;
  }
  return `${TEMPLATE}${text.slice(TEMPLATE.length)}`;
}

/** The template that a result is printed by, if it is one. */
export function templateOf(output: OutputFormat): string | undefined {
  return output.startsWith(TEMPLATE) ? output.slice(TEMPLATE.length) : undefined;
}

/** The options of the program that `command` belongs to. */
export function optionsOf(command: Command): Options {
  return command.optsWithGlobals<Options>();
}

/** Whether an option of the program was given on the command line, not by a variable. */
export function isGiven(command: Command, option: keyof Options): boolean {
  return command.getOptionValueSourceWithGlobals(option) === 'cli';
}

/** Collects an option that may be repeated, each time with one or more values. */
export function collect(value: string, earlier: readonly string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}

/** The address of an API, without a slash at its end. Credentials in it would be shown wherever the address is. */
export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new InvalidArgumentError(`It must be like ${DEFAULT_URL}`);
  if (url.username !== '' || url.password !== '') throw new InvalidArgumentError('It must have no credentials in it: use --token-file.');
  return text.replace(/\/+$/, '');
}
