import { parseArgs } from 'node:util';
import { invalid } from '../errors.ts';
import type { Settings } from './settings.ts';

/** What a daemon was started with. */
export interface Arguments {
  /** The configuration file. */
  readonly config?: string | undefined;
  readonly help?: boolean | undefined;
  readonly version?: boolean | undefined;
}

/** Throws `invalid` for what is no argument of a daemon. */
export function readArguments(given: readonly string[]): Arguments {
  const options = {
    config: { type: 'string', short: 'c' },
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ args: [...given], options }).values;
  } catch (thrown) {
    throw invalid([{ field: 'arguments:', reason: thrown instanceof Error ? thrown.message : String(thrown) }], 'See --help.');
  }
}

/** What `--help` prints: every setting with its variable and what it takes. */
export function usage(name: string, settings: Settings): string {
  const rows = Object.entries(settings).map(([key, { variable, fallback, expects }]) => {
    const standard = fallback === undefined ? 'required' : `default ${JSON.stringify(fallback)}`;
    return `  ${key.padEnd(17)}${variable.padEnd(28)}${expects} (${standard})\n`;
  });
  return `${name} [-c FILE]\n\nFILE is YAML. Each key may also be an environment variable, which wins:\n\n${rows.join('')}`;
}
