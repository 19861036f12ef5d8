// `npm run bench`: prepares, then measures on real processes (bench/main.ts). `-- NAME...` runs only these measurements.
import { spawnSync } from 'node:child_process';
import { main, ROOT } from './command.mjs';
import { prepare } from './prepare.mjs';

await main(() => {
  const { natsServer } = prepare();
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', 'bench/main.ts', ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, NATS_SERVER: natsServer, MERIDIAN_BUILT: 'true' },
  });
  process.exitCode = status ?? 1;
});
