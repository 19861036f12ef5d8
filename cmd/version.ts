import { existsSync, readFileSync } from 'node:fs';

/**
 * The version of this package: of the nearest package.json above, whether this runs from the sources or from `dist`.
 */
export function readVersion(): string {
  let file = new URL('package.json', import.meta.url);
  while (!existsSync(file)) file = new URL('../package.json', file);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return version;
}
