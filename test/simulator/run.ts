import type { Place } from '../../src/resource/resource.js';
import { violations } from './check.js';
import { Model } from './model.js';
import { act } from './workload.js';
import { CALM, type Weather, World } from './world.js';

const EAST: Place = { zone: 'east', environment: 'kubernetes', systemNamespace: 'kuma-system' };
const EAST1: Place = { zone: 'east1', environment: 'kubernetes', systemNamespace: 'mesh-system' };
const PLAIN: Place = { zone: 'plain', environment: 'universal', systemNamespace: '' };

const STORM: Weather = { loss: 0.15, repeat: 0.1, maxDelay: 400 };

/** What a run found, and what happened in it. */
export interface Outcome {
  readonly problems: readonly string[];
  readonly journal: readonly string[];
}

/**
 * One run: users write while messages get lost, repeated and reordered, links break, processes die. Then the weather clears, and all must
 * be where it belongs. The same seed gives the same run.
 */
export function simulate(seed: number): Outcome {
  const world = new World(seed, [EAST, EAST1, PLAIN]);
  const model = new Model();
  const early: string[] = [];
  for (const node of world.nodes.values()) {
    node.watch = {
      deleted: (where, key) =>
        void (
          key.zone !== where.place.zone &&
          !model.mayBeDeleted(key) &&
          early.push(`${where.name} deletes a copy that nobody deleted: ${JSON.stringify(key)}`)
        ),
    };
  }
  model.written(
    { type: 'Mesh', mesh: '', zone: '', namespace: '', name: 'default' },
    { draft: { type: 'Mesh', mesh: '', name: 'default', namespace: undefined, labels: {}, spec: {} }, reach: 'all' },
    true,
  );
  trouble(world, model);
  recover(world);
  settle(world, model);
  return { problems: [...early, ...violations(world, model)], journal: world.journal };
}

function trouble(world: World, model: Model): void {
  const steps = 20 + world.random.below(60);
  for (let step = 0; step < steps; step++) {
    if (world.random.chance(0.1)) world.weather = world.random.pick([CALM, STORM]);
    if (world.random.chance(0.08)) pick(world).setConnected(world.random.chance(0.5));
    if (world.random.chance(0.08)) pick(world).fuse = 1 + world.random.below(12);
    act(world, model);
    world.run(world.random.below(world.random.chance(0.2) ? 3_000 : 100));
  }
}

function recover(world: World): void {
  world.weather = CALM;
  for (const node of world.nodes.values()) {
    node.fuse = 0;
    node.setConnected(true);
  }
}

/** Until all is well, and a while more, in which nothing may change any more; for so long at most. Virtual ms. */
const LONGEST = 120_000;
const A_WHILE = 12_000;

function settle(world: World, model: Model): void {
  const end = world.now + LONGEST;
  while (world.now < end && violations(world, model).length > 0) world.run(2_000);
  world.run(A_WHILE);
}

function pick(world: World) {
  return world.random.pick([...world.nodes.values()]);
}
