import { parseArgs } from 'node:util';
import { invalid } from '../errors.ts';
import type { Settings } from './settings.ts';

/** What a daemon was started with. */
export interface Arguments {
  /** The configuration file. */
  readonly config?: string | undefined;
  /** Only look whether the configuration is right. */
  readonly 'check-config'?: boolean | undefined;
  readonly help?: boolean | undefined;
  readonly version?: boolean | undefined;
}

/** Throws `invalid` for what is no argument of a daemon. */
export function readArguments(given: readonly string[]): Arguments {
  const options = {
    config: { type: 'string', short: 'c' },
    'check-config': { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ args: [...given], options }).values;
  } catch (thrown) {
    throw invalid([{ field: 'arguments:', reason: thrown instanceof Error ? thrown.message : String(thrown) }], 'See --help.');
  }
}

/** What `--help` prints: every setting with its variable, what it is for and what it takes. For 80 columns. */
export function usage(name: string, settings: Settings): string {
  const rows = Object.entries(settings).map(([key, { variable, about, fallback, expects }]) => {
    const taken = `Takes ${expects}. ${fallback === undefined ? 'Required.' : `Default: ${standard(fallback)}.`}`;
    return `\n  ${key} (${variable})\n${wrapped(about)}${wrapped(taken)}`;
  });
  return `${name} [-c FILE] [--check-config]

FILE is YAML. Each key may also be an environment variable, which wins.
--check-config says what is wrong with them, and ends: with 0 if nothing is.
${rows.join('')}`;
}

function standard(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === '' || text === '[]' || text === '{}' ? 'none' : text;
}

const COLUMNS = 80;
const INDENT = '      ';

function wrapped(text: string): string {
  const lines = [INDENT.slice(1)];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length <= COLUMNS) lines[lines.length - 1] = line;
    else lines.push(INDENT + word);
  }
  return `${lines.join('\n')}\n`;
}
