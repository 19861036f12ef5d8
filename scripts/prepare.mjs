// Makes a fresh clone ready: the dependencies, the programs in dist/, the real nats-server. What is there already is left alone.
//   node scripts/prepare.mjs            all of it
//   node scripts/prepare.mjs build      the dependencies and dist/ only
import { join } from 'node:path';
import { buildPrograms } from './build.mjs';
import { isProgram, main, packageFile, Problem, ROOT, say } from './command.mjs';
import { installDependencies } from './dependencies.mjs';
import { withLock } from './lock.mjs';
import { natsServer } from './nats-server.mjs';

/**
 * Prepares everything that the demo, the tests and the benchmarks need.
 * Out: `{ natsServer }`, the path of the NATS server. Throws Problem, whose message says what is missing.
 * Several may run at once in one folder; they take turns.
 */
export function prepare() {
  prepareBuild();
  const server = natsServer();
  say(`nats-server: ${server}`);
  return { natsServer: server };
}

/** The dependencies and dist/, without the NATS server. Throws Problem. */
export function prepareBuild() {
  checkNode();
  withLock(join(ROOT, '.tools', 'prepare.lock'), () => {
    installDependencies();
    buildPrograms();
  });
}

/** Throws Problem when this Node is older than package.json asks for (`engines.node`, of the form `>=MAJOR.MINOR`). */
function checkNode() {
  const asked = packageFile().engines.node;
  const [major, minor] = asked.replace('>=', '').split('.').map(Number);
  const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return;
  throw new Problem(`Node ${asked} is needed; this is Node ${process.versions.node} (${process.execPath}).`);
}

if (isProgram(import.meta.url)) {
  await main(() => {
    if (process.argv[2] === 'build') prepareBuild();
    else prepare();
  });
}
