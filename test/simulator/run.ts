import { isInOrder, violations } from './check.ts';
import { Disasters } from './disasters.ts';
import { untrueEntries } from './ledger-check.ts';
import { lie } from './liar.ts';
import { expectDefaultMesh, Model } from './model.ts';
import { choosePlaces } from './places.ts';
import { seeded } from './random.ts';
import { Invariants } from './watch.ts';
import { act, setEnabled } from './workload.ts';
import { CALM, type Weather, World } from './world.ts';

const STORM: Weather = { loss: 0.15, repeat: 0.1, maxDelay: 400 };
const DAY = 86_400_000;

/** What a run found, and what happened in it. */
export interface RunOutcome {
  readonly problems: readonly string[];
  readonly journal: readonly string[];
}

/**
 * One run: users write while messages get lost, repeated and reordered, links break, processes die, clocks jump; in a
 * third of the runs stores are restored, lost or copied too. Then the weather clears, an operator says what is to be
 * said, and all must be where it belongs. The same seed gives the same run.
 */
export function simulate(seed: number): RunOutcome {
  const model = new Model();
  expectDefaultMesh(model);
  const watch = new Invariants(model);
  const world = new World(seed, choosePlaces(seeded(seed * 7)), watch);
  const disasters = world.random.chance(0.4) ? new Disasters(world, model) : undefined;
  if (!disasters && world.zones.length > 1 && world.random.chance(0.2)) model.liar = world.random.pick(world.zones).place.zone;
  const untrue = trouble(world, model, disasters, seed % STOPPED_AT_ALL === 0);
  recover(world);
  settle(world, model, disasters);
  const problems = [...watch.problems, ...untrue, ...violations(world, model)];
  world.close();
  return { problems, journal: world.journal };
}

/** In one of so many seeds control planes are stopped in order too: in the others that would say what a crash does. */
const STOPPED_AT_ALL = 10;

function trouble(world: World, model: Model, disasters: Disasters | undefined, stopped: boolean): string[] {
  const { random } = world;
  const untrue: string[] = [];
  // Most faults need few steps and much chance; some need many.
  const steps = 10 + random.below(1 + random.below(50));
  for (let step = 0; step < steps; step++) {
    if (random.chance(0.1)) world.weather = random.pick([CALM, STORM]);
    if (random.chance(0.08)) pick(world).setConnected(random.chance(0.5));
    if (random.chance(0.08)) pick(world).fuse = 1 + random.below(12);
    if (stopped && random.chance(0.05)) pick(world).stop();
    if (random.chance(0.04)) pick(world).suspend(random.below(20_000));
    if (random.chance(0.04)) pick(world).jump((random.next() - 0.5) * DAY, random.pick([0, 0, 60_000]));
    if (random.chance(0.03)) setEnabled(world, random.pick(world.zones).place.zone, random.chance(0.5));
    if (disasters && random.chance(0.3)) disasters.strike(pick(world));
    if (disasters && random.chance(0.03)) disasters.operate();
    if (model.liar !== undefined && random.chance(0.5)) lie(world, model, world.node(model.liar));
    act(world, model);
    world.run(random.below(random.chance(0.2) ? 3_000 : 100));
    if (!disasters && random.chance(0.2)) untrue.push(...untrueEntries(world, model.liar));
  }
  return untrue;
}

function recover(world: World): void {
  world.weather = CALM;
  world.busy = 0;
  world.scanned = () => {};
  world.taken = () => {};
  for (const node of world.nodes.values()) {
    node.fuse = 0;
    node.wake();
    node.setConnected(true);
  }
}

/** Until all is well, and a while more, in which nothing may change any more; for so long at most. Virtual ms. */
const LONGEST = 240_000;
const A_WHILE = 8_000;

function settle(world: World, model: Model, disasters: Disasters | undefined): void {
  const end = world.now + LONGEST;
  do {
    // Out of step with the statuses: the operator must not always look between the same two.
    world.run(1_500 + world.random.below(1_000));
    for (const { place } of world.zones) setEnabled(world, place.zone, true);
    disasters?.operate();
    disasters?.giveUp();
  } while (world.now < end && !isInOrder(world, model));
  world.run(A_WHILE);
}

function pick(world: World) {
  return world.random.pick([...world.nodes.values()]);
}
