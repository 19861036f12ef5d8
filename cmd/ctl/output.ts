import type { Format } from './options.ts';

/** Prints a command's result on standard output: as a table, or the value itself as JSON or YAML. */
export async function print(format: Format, value: unknown, table: () => string): Promise<void> {
  if (format === 'table') write(table());
  else if (format === 'json') write(`${JSON.stringify(value, undefined, 2)}\n`);
  else write(await toYaml(value));
}

export function write(text: string): void {
  process.stdout.write(text);
}

/** For people, beside the result: standard output stays what a script expects. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** YAML that parsers of 1.1 and 1.2 read alike. */
export async function toYaml(value: unknown): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(value, { compat: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false });
}
