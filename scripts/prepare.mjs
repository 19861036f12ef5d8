// Makes a fresh clone ready: a Node that fits, the dependencies, the programs in dist/, the real nats-server. What is
// there already is left alone.
//   node scripts/prepare.mjs            all of it
//   node scripts/prepare.mjs build      the dependencies and dist/ only
import './fitting-node.mjs';
import { join } from 'node:path';
import { buildPrograms } from './build.mjs';
import { isProgram, main, ROOT, say } from './command.mjs';
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
  inTurn(() => {
    installDependencies();
    buildPrograms();
  });
}

/** The dependencies alone. Throws Problem. */
export function prepareDependencies() {
  inTurn(installDependencies);
}

function inTurn(work) {
  withLock(join(ROOT, '.tools', 'prepare.lock'), work);
}

if (isProgram(import.meta.url)) {
  await main(() => {
    if (process.argv[2] === 'build') prepareBuild();
    else prepare();
  });
}
