// `npm run demo`: prepares a fresh clone, then runs demo/main.ts. `-- --once` ends by itself, 0 if all was as expected.
import { spawnSync } from 'node:child_process';
import { main, ROOT } from './command.mjs';
import { prepare } from './prepare.mjs';

await main(() => {
  const { natsServer } = prepare();
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', 'demo/main.ts', ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, NATS_SERVER: natsServer, MERIDIAN_BUILT: 'true' },
  });
  process.exitCode = status ?? 1;
});
