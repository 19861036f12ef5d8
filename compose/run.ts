import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { composeProgram, run, startContainers } from './containers.ts';
import { startProcesses } from './processes.ts';
import { COMPOSE, type World } from './world.ts';

/**
 * `npm run test:compose [-- --processes] [NAME...]`: runs scenarios one after the other, in containers where docker is
 * to be had, else as plain processes. Ends with 0 when all were as expected.
 */
interface Scenario {
  run(world: World): Promise<void>;
}

const args = process.argv.slice(2);
const all = readdirSync(COMPOSE).filter((name) => existsSync(join(COMPOSE, name, 'scenario.ts')));
const asked = args.filter((arg) => !arg.startsWith('--'));
const unknown = asked.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`no scenario ${unknown.join(', ')}; there are ${all.join(', ')}`);
  process.exit(2);
}
const compose = args.includes('--processes') ? undefined : await composeProgram();
if (compose === undefined) console.log('as plain processes: no container engine was asked for, or none is to be had');
else console.log(`in containers, by ${compose.join(' ')}; building the images ...`);
if (compose !== undefined) {
  const built = await run('bash', [join(COMPOSE, 'image.sh')]);
  if (built.code !== 0) throw new Error(`the images are not built: ${built.err}`);
  console.log(built.out.trim());
}
const failed: string[] = [];
for (const name of asked.length > 0 ? asked : all) {
  const began = performance.now();
  const why = await failureOf(name);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${name}: ${why === undefined ? 'as expected' : 'NOT AS EXPECTED'}, ${seconds} s`);
  if (why === undefined) continue;
  failed.push(name);
  console.error(why);
}
process.exit(failed.length === 0 ? 0 : 1);

/** Out: why a scenario failed, with the last lines of its services; undefined: it did not. */
async function failureOf(name: string): Promise<string | undefined> {
  const { run: play } = (await import(join(COMPOSE, name, 'scenario.ts'))) as Scenario;
  const world = await (compose === undefined ? startProcesses(name) : startContainers(name, compose));
  try {
    await play(world);
    return undefined;
  } catch (thrown) {
    return `${thrown instanceof Error ? thrown.stack : String(thrown)}\n${await world.logs()}`;
  } finally {
    await world.close();
  }
}
