import { type Options, type OutputFormat, templateOf } from '../input/options.ts';
import { parseTemplate } from './json-path-template.ts';
import { type TableLayout, standardPaper } from './table.ts';

/** How a result is to be printed: what a user said of it. */
export type PrintOptions = Pick<Options, 'output' | 'headers'>;

/** Prints a command's result on standard output: as a table, or the value itself as JSON or YAML. */
export async function print(options: PrintOptions, value: unknown, table: (paper: TableLayout) => string): Promise<void> {
  const { output } = options;
  switch (output) {
    case 'table':
    case 'wide':
      return write(table(standardLayout(options)));
    case 'json':
      return write(`${toJson(value)}\n`);
    // Where `get` has a form of its own, it prints that itself.
    case 'explicit':
    case 'name':
    case 'yaml':
      return write(await toYaml(value));
    default:
      return write(formatByTemplate(output, value));
  }
}

/** Texts of the value can't steer a terminal, as in JSON; what the template itself says stands as it is. */
function formatByTemplate(output: `jsonpath=${string}`, value: unknown): string {
  // As JSON has it: fields that are undefined are not there.
  const plain: unknown = JSON.parse(JSON.stringify(value));
  return parseTemplate(templateOf(output) ?? '')(plain, escapeAll);
}

function escapeAll(text: string): string {
  return text.replace(EACH_STEERS, (character) => character.split('').map(escaped).join(''));
}

/** What tables on standard output are fitted to. */
export function standardLayout({ output, headers }: PrintOptions): TableLayout {
  const paper = { ...standardPaper(), headings: headers };
  return output === 'wide' ? { ...paper, width: undefined } : paper;
}

/** Whether people read the result, who are told of an empty one in words. */
export function isTable(output: OutputFormat): boolean {
  return output === 'table' || output === 'wide';
}

export function write(text: string): void {
  process.stdout.write(text);
}

/** For people, beside the result: standard output stays what a script expects. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** What others wrote must not steer a terminal, in data neither: JSON escapes only the first 32 characters. */
const STEERS = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const EACH_STEERS = new RegExp(STEERS, 'gu');

/** A line of blanks alone: in a block of YAML, they may be read as its indent. */
const BLANK_LINE = /^[\t ]+$/m;

/** `0X1F` is a text to the library and a number to other parsers, and so our own reader refuses it. */
const NUMBER_TO_SOME = /^[-+]?0[BOX]/;

/** JSON with two spaces of indent, or in one line. The same data, with what can't be printed escaped. */
export function toJson(value: unknown, indent: 0 | 2 = 2): string {
  // Outside of texts there are only line ends and spaces.
  return escapeAll(JSON.stringify(value, undefined, indent));
}

/**
 * YAML that parsers of 1.1 and 1.2 read alike. Texts with what can't be printed are in double quotes, and have it
 * escaped there.
 */
export async function toYaml(value: unknown): Promise<string> {
  const { Document, Scalar, visit } = await import('yaml');
  const document = new Document(value, { compat: 'yaml-1.1', aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && [STEERS, BLANK_LINE, NUMBER_TO_SOME].some((special) => special.test(String(scalar.value))))
        scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const text = document.toString({ lineWidth: 0 });
  return text.replace(EACH_STEERS, (character) => (character.length > 1 ? longEscaped(character) : escaped(character)));
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function longEscaped(character: string): string {
  return `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`;
}
