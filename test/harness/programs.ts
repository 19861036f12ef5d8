import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The program `name` of Kuma: that of the environment variable, the one in the shared tools beside the repository, or
 * the PATH's.
 */
export function findProgram(variable: string, name: string): string | undefined {
  const beside = fileURLToPath(new URL(`../../../shared/tools/${name}`, import.meta.url));
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return [process.env[variable] ?? '', beside, ...onPath].find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return path !== '';
  } catch {
    return false;
  }
}
