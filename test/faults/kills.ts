import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as wait } from 'node:timers/promises';
import { type Daemon, runProgram, startDaemon } from '../harness/daemon.ts';
import { type Nats, startNats } from '../harness/nats.ts';
import type { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';
import { seeded } from '../simulator/random.ts';
import { integrityOf } from './integrity.ts';
import { RETRIES, TIMEOUTS, versionsAt, FaultWriter } from './writes.ts';

/** Who dies, and when: a point of death.mjs, `any time`, or `while it starts` (again, behind another death). */
interface Kill {
  readonly victim: Victim;
  readonly moment: string;
}

type Victim = 'global' | 'east' | 'west' | 'nats';

/**
 * ms from the start of the process that takes over until it listens, and from then until all control planes hold the
 * same.
 */
export interface KillOutcome extends Kill {
  readonly start: number;
  readonly converge: number;
}

const POINTS = ['before BEGIN', 'after BEGIN', 'before COMMIT', 'after COMMIT', 'before PUB', 'after PUB'];
const MOMENTS = [...POINTS, 'any time', 'while it starts'];

/** Every kind of kill, each victim in turn; nats has no transactions. */
const KINDS: readonly Kill[] = MOMENTS.flatMap((moment) => [
  ...(['global', 'east', 'west'] as const).map((victim) => ({ victim, moment })),
  ...(moment === 'any time' ? [{ victim: 'nats' as const, moment }] : []),
]);
/** Has no divisor in common with the number of kinds, so that a short campaign has something of all. */
const STRIDE = 7;

interface KilledSystem {
  readonly scope: Scope;
  readonly nats: Nats;
  readonly planes: Record<Exclude<Victim, 'nats'>, Daemon>;
  readonly writers: readonly FaultWriter[];
  readonly environments: Record<Exclude<Victim, 'nats'>, Readonly<Record<string, string>>>;
  readonly random: () => number;
}

/**
 * Kills `count` processes of a running system while two writers write, and throws at the first acknowledged write that
 * is lost, store that is damaged, or system that does not come into step again. Out: how long each took, and how many
 * writes were acknowledged.
 */
export async function campaign(scope: Scope, count: number, seed: number): Promise<{ outcomes: KillOutcome[]; acknowledged: number }> {
  const system = await start(scope, seed);
  const outcomes: KillOutcome[] = [];
  for (let n = 0; n < count; n++) {
    const kind = KINDS[(n * STRIDE) % KINDS.length];
    if (!kind) throw new Error('there are kinds');
    outcomes.push(await strike(system, kind));
  }
  return { outcomes, acknowledged: system.writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0) };
}

async function start(scope: Scope, seed: number): Promise<KilledSystem> {
  const nats = await startNats(scope);
  const preloaded = (victim: string): Record<string, string> => ({
    MERIDIAN_NATS_URL: nats.url,
    NODE_OPTIONS: `--import ${new URL('death.mjs', import.meta.url).href}`,
    DEATH_FILE: join(scope.folder(), victim),
  });
  const zone = (name: string) => ({ ...preloaded(name), MERIDIAN_ZONE_NAME: name });
  const environments = { global: preloaded('global'), east: zone('east'), west: zone('west') };
  const [global, east, west] = await Promise.all([
    startDaemon(scope, 'global', environments.global),
    startDaemon(scope, 'zone', environments.east),
    startDaemon(scope, 'zone', environments.west),
  ]);
  await Promise.all([global, east, west].map((daemon) => daemon.untilReady()));
  const planes = { global, east, west };
  const writers = [new FaultWriter(TIMEOUTS, () => planes.global), new FaultWriter(RETRIES, () => planes.east)];
  const random = seeded(seed);
  return { scope, nats, planes, writers, environments, random: () => random.next() };
}

async function strike(system: KilledSystem, kill: Kill): Promise<KillOutcome> {
  const { nats, writers } = system;
  for (const writer of writers) writer.start();
  await wait(50 + 150 * system.random());
  if (kill.victim === 'nats') await nats.stop();
  else await killDaemon(system, kill.victim, kill.moment);
  await wait(100 * system.random());
  const began = performance.now();
  if (kill.victim === 'nats') await nats.start();
  else system.planes[kill.victim] = await system.planes[kill.victim].again();
  const listens = performance.now();
  for (const writer of writers) await writer.stop();
  for (const writer of writers) assert.deepEqual(await writer.check(), [], JSON.stringify(kill));
  await until(`all hold the same behind ${JSON.stringify(kill)}`, () => inStep(system));
  return { ...kill, start: listens - began, converge: performance.now() - listens };
}

async function killDaemon(
  { scope, planes, environments, random }: KilledSystem,
  victim: Exclude<Victim, 'nats'>,
  moment: string,
): Promise<void> {
  const daemon = planes[victim];
  const { DEATH_FILE = '' } = environments[victim];
  if (POINTS.includes(moment)) {
    writeFileSync(DEATH_FILE, moment);
    daemon.signal('SIGUSR2');
    assert.equal(await daemon.exit, 'SIGKILL');
  } else await daemon.kill();
  assert.equal(integrityOf(scope, daemon.dataDir), 'ok');
  if (moment !== 'while it starts') return;
  const next = runProgram(scope, victim === 'global' ? 'global' : 'zone', { ...environments[victim], MERIDIAN_DATA_DIR: daemon.dataDir });
  await wait(100 + 600 * random());
  next.signal('SIGKILL');
  await next.exit;
  assert.equal(integrityOf(scope, daemon.dataDir), 'ok');
}

async function inStep({ planes: { global, east, west } }: KilledSystem): Promise<boolean> {
  for (const kind of [TIMEOUTS, RETRIES]) {
    const [first, ...others] = await Promise.all([global, east, west].map((daemon) => versionsAt(daemon, kind)));
    if (!others.every((other) => isDeepStrictEqual(other, first))) return false;
  }
  return true;
}
