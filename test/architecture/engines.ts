import { existsSync, readFileSync } from 'node:fs';
import semver from 'semver';

/**
 * A package as npm installed it: where it lies, its version, and the Node that it asks for (`engines.node`; '' is any).
 */
export interface InstalledPackage {
  readonly path: string;
  readonly version: string;
  readonly node: string;
}

interface LockedPackage {
  readonly dev?: boolean;
  readonly optional?: boolean;
}

const ROOT = new URL('../../', import.meta.url);

/** The packages that do not run on each of the versions of Node, as `path version: asks for ...`. */
export function refusing(packages: readonly InstalledPackage[], versions: readonly string[]): string[] {
  return packages.flatMap(({ path, version, node }) => {
    const refused = versions.filter((ours) => node !== '' && !semver.satisfies(ours, node));
    return refused.length === 0 ? [] : [`${path} ${version}: asks for Node ${node}, not ${refused.join(' or ')}`];
  });
}

/**
 * What package-lock.json says is for production (or for development), read from node_modules. Those for other platforms
 * are not there.
 */
export function installed(use: 'production' | 'development'): InstalledPackage[] {
  const { packages } = read('package-lock.json') as { packages: Record<string, LockedPackage> };
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && (dev === true) === (use === 'development'))
    .filter(([path, { optional }]) => optional !== true || existsSync(new URL(path, ROOT)))
    .map(([path]) => {
      const { version, engines } = read(`${path}/package.json`) as { version: string; engines?: { node?: string } };
      return { path, version, node: engines?.node ?? '' };
    });
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, ROOT), 'utf8'));
}
