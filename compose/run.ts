import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Break, type Breaks, broken } from './breaks.ts';
import { composeProgram, run, startContainers } from './containers.ts';
import { imageFaults } from './images.ts';
import { startProcesses } from './processes.ts';
import { COMPOSE, type World } from './world.ts';

/**
 * `npm run test:compose [-- --processes] [--broken] [NAME...]`: runs scenarios one after the other, in containers where
 * docker is to be had, else as plain processes. Ends with 0 when all were as expected. With `--broken` each is run with
 * what it checks broken, once for each of its breaks: as expected is what fails where it should.
 */
interface Scenario {
  /** Makes what this scenario alone needs. Out: what is not to be had for it; undefined: nothing. */
  prepare?(inContainers: boolean): Promise<string | undefined>;
  /** Waits until all is there that the scenario begins with. */
  open(world: World): Promise<void>;
  run(world: World): Promise<void>;
  readonly breaks: Breaks;
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
  const faults = await imageFaults('local');
  if (faults.length > 0) throw new Error(faults.join('\n'));
}
let failed = 0;
for (const name of asked.length > 0 ? asked : all) {
  const scenario = (await import(join(COMPOSE, name, 'scenario.ts'))) as Scenario;
  const missing = await scenario.prepare?.(compose !== undefined);
  if (missing !== undefined) console.log(`${name}: NOT RUN: ${missing}`);
  else if (!args.includes('--broken')) await tell(name, () => failureOf(name, scenario));
  else
    for (const [what, one] of Object.entries(scenario.breaks))
      await tell(`${name}, ${what}`, async () => unnoticed(one, await failureOf(name, scenario, one)));
}
process.exit(failed === 0 ? 0 : 1);

/** Says how it went and how long it took. In: what tells why it was not as expected, or undefined. */
async function tell(what: string, play: () => Promise<string | undefined>): Promise<void> {
  const began = performance.now();
  const why = await play();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${what}: ${why === undefined ? 'as expected' : 'NOT AS EXPECTED'}, ${seconds} s`);
  if (why === undefined) return;
  failed += 1;
  console.error(why);
}

/** Out: why a scenario failed, with the last lines of its services; undefined: it did not. */
async function failureOf(name: string, scenario: Scenario, one?: Break): Promise<string | undefined> {
  const started = await (compose === undefined ? startProcesses(name, one?.services) : startContainers(name, compose, one?.services));
  const world = one ? broken(started, one) : started;
  try {
    await scenario.open(world);
    await scenario.run(world);
    return undefined;
  } catch (thrown) {
    return `${thrown instanceof Error ? thrown.stack : String(thrown)}\n${await world.logs()}`;
  } finally {
    await world.close();
  }
}

/** In: how a run failed in which something was broken. Out: why that is not what it should have noticed. */
function unnoticed({ noticed }: Break, failure: string | undefined): string | undefined {
  if (failure === undefined) return 'nothing was noticed';
  const [first = ''] = failure.split('\n');
  console.log(`  ${first}`);
  return first.includes(`: ${noticed}`) ? undefined : `it was to be noticed by: ${noticed}\n${failure}`;
}
