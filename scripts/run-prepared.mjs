// Runs a TypeScript program of this project in a fresh clone: prepares first, hands its arguments on, ends as it ended.
import { spawnSync } from 'node:child_process';
import { main, ROOT } from './command.mjs';
import { prepare } from './prepare.mjs';

/** In: a path like 'demo/main.ts'. The daemons that it starts are the built ones. */
export function runPrepared(program) {
  return main(() => {
    const { natsServer } = prepare();
    const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, NATS_SERVER: natsServer, MERIDIAN_BUILT: 'true' },
    });
    process.exitCode = status ?? 1;
  });
}
