import { it } from 'node:test';
import { startProcesses } from '../compose/processes.ts';
import { run } from '../compose/zone-partition/scenario.ts';

// Each service has an address of 127/8 of its own, which only Linux has without further ado.
it('a scenario of compose/ as plain processes', { skip: process.platform !== 'linux' && 'not Linux' }, async () => {
  const world = await startProcesses('zone-partition');
  try {
    await run(world);
  } finally {
    await world.close();
  }
});
