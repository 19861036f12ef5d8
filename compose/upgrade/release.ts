import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../containers.ts';

/**
 * What counts as the last release, while nothing is released: the last commit of the history that wrote schema 6 of the
 * store. What is newer can read that store, and that one can't read a newer one.
 */
const RELEASE = '710bea642cde';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Where its programs are once they are built. */
export const RELEASE_FOLDER = join(ROOT, '.tools', `release-${RELEASE}`);

/** Builds the last release by its own means, from this clone's history. Out: what is missing for it. */
export async function buildRelease(): Promise<string | undefined> {
  if (existsSync(RELEASE_FOLDER)) return undefined;
  if ((await run('git', ['-C', ROOT, 'cat-file', '-e', `${RELEASE}^{commit}`])).code !== 0)
    return `this clone's history has no commit ${RELEASE}, which counts as the last release: git fetch --unshallow`;
  const part = `${RELEASE_FOLDER}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  console.log(`building the last release, ${RELEASE}; the first time it takes a minute ...`);
  const script = `git -C "$1" archive ${RELEASE} | tar -x -C "$2" && cd "$2" && npm run --silent build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund --silent`;
  const { code, out, err } = await run('bash', ['-o', 'pipefail', '-c', script, 'build', ROOT, part]);
  if (code !== 0) throw new Error(`the last release is not built: ${err}${out}`);
  renameSync(part, RELEASE_FOLDER);
  return undefined;
}

/** Makes the images meridian-global:release and meridian-zone:release of it. */
export async function releaseImages(): Promise<void> {
  for (const name of ['global', 'zone']) {
    const file = fileURLToPath(new URL('Dockerfile', import.meta.url));
    const args = ['build', '--quiet', '-f', file, '--build-arg', `PROGRAM=${name}`, '-t', `meridian-${name}:release`, RELEASE_FOLDER];
    const { code, err } = await run('docker', args, '', { ...process.env, DOCKER_BUILDKIT: process.env.DOCKER_BUILDKIT ?? '0' });
    if (code !== 0) throw new Error(`meridian-${name}:release is not built: ${err}`);
  }
}
