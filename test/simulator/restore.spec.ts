import { orphansOf } from '../../src/control/peers/lost-store.ts';
import { diverged } from '../../src/control/peers/divergence.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recover, type RecoverOrder } from '../../src/control/operate/recover.ts';
import { GLOBAL_PEER } from '../../src/resource/audience.ts';
import type { Key } from '../../src/resource/key.ts';
import type { Draft, Place } from '../../src/resource/resource.ts';
import type { Node } from './node.ts';
import { NOBODY_WATCHES } from './watch.ts';
import { World } from './world.ts';
import { deleteResource, writeDrafts } from '../harness/write-drafts.ts';

/**
 * What happens when a store is restored from a backup, lost, or copied: nothing is deleted that nobody deleted, and
 * after the operator's word all is in step again. Global, east and west; `east` writes producer policies, which go to
 * west.
 */
const EAST: Place = { zone: 'east', environment: 'kubernetes', systemNamespace: 'kuma-system' };
const WEST: Place = { zone: 'west', environment: 'kubernetes', systemNamespace: 'kuma-system' };
/** Longer than any back-off, and than it takes for a silent process to count as gone. */
const A_WHILE = 60_000;
const AT_ONCE = 0;
const LATER = 10_000;

interface RestoredSystem {
  readonly world: World;
  readonly global: Node;
  readonly east: Node;
  readonly west: Node;
  /** `west: slow`: what was deleted of others, and where. */
  readonly deleted: string[];
}

/** `logged`: how many revisions a log holds. */
function newSystem(seed: number, logged = 1_000_000): RestoredSystem {
  const deleted: string[] = [];
  const world = new World(seed, [EAST, WEST], {
    ...NOBODY_WATCHES,
    deleted: (where, key) => void (key.zone !== where.place.zone && deleted.push(`${where.name}: ${key.name}`)),
  });
  world.sizes = { pageBytes: 100_000, logged, forgotten: 0 };
  world.busy = 0;
  const system = { world, global: world.global, east: world.node('east'), west: world.node('west'), deleted };
  world.run(LATER);
  apply(system.global, 'g-old');
  apply(system.east, 'e-old');
  world.run(LATER);
  return system;
}

/** At global a policy for all, in a zone a producer policy. */
function apply(node: Node, ...names: string[]): void {
  const to = node.place.zone === '' ? { kind: 'Mesh' } : { kind: 'MeshService', name: 'backend' };
  const namespace = node.place.zone === '' ? undefined : 'app';
  const drafts = names.map(
    (name): Draft => ({
      type: 'MeshTimeout',
      mesh: 'default',
      name,
      namespace,
      labels: {},
      spec: { to: [{ targetRef: to, default: {} }] },
    }),
  );
  const written = node.write((plane) => writeDrafts(plane, drafts));
  assert.ok(written.done);
}

function remove(node: Node, name: string): void {
  const namespace = node.place.zone === '' ? '' : 'app';
  const key: Key = { type: 'MeshTimeout', mesh: 'default', zone: node.place.zone, namespace, name };
  node.write((plane) => deleteResource(plane, key));
}

/** It forgets what it did since the backup, and how often it was started. */
function restore({ world }: RestoredSystem, node: Node, backup: Buffer, pause: number): void {
  for (let starts = 0; starts < 3; starts++) {
    node.crash();
    node.start();
    world.run(LATER);
  }
  node.restore(backup);
  world.run(pause);
  node.start();
}

function say(node: Node, order: RecoverOrder): void {
  node.write((plane) => plane.store.commit((tx) => recover(tx, plane, order)));
}

function names(node: Node): string {
  return [...node.plane.store.each('MeshTimeout')].map(({ resource }) => resource.key.name).join(' ');
}

function leftOver(node: Node, peer: string): string {
  return orphansOf(node.plane.store, peer)
    .map(({ key }) => key.name)
    .join(' ');
}

/** Why zones say that global sends nothing. */
function stopped(...zones: readonly Node[]): (string | undefined)[] {
  return zones.map((zone) => zone.view(GLOBAL_PEER)?.stopped?.code);
}

/** Both sides of every feed know that they agree. */
function assertInStep({ global, east, west }: RestoredSystem): void {
  for (const [node, peers] of [
    [global, ['east', 'west']],
    [east, [GLOBAL_PEER]],
    [west, [GLOBAL_PEER]],
  ] as const) {
    for (const peer of peers) {
      const view = node.view(peer);
      assert.equal(view?.upToDate, true, `${node.name} has what ${peer} has: ${JSON.stringify(view)}`);
      assert.equal(view.ack?.position?.digest, view.head.digest, `${node.name} knows that ${peer} is in step`);
    }
  }
}

for (const [when, pause] of [
  ['at once', AT_ONCE],
  ['later', LATER],
] as const) {
  test(`global is restored, and comes back ${when}`, () => {
    const system = newSystem(1);
    const { world, global, east, west, deleted } = system;
    const backup = global.backup();
    apply(global, 'g-new');
    world.run(LATER);
    restore(system, global, backup, pause);
    world.run(A_WHILE);
    assert.ok(diverged(global.plane.store));
    assert.equal(names(east), 'g-new g-old e-old');
    assert.deepEqual(stopped(east, west), ['diverged', 'diverged']);
    say(global, {});
    world.run(A_WHILE);
    assert.deepEqual([deleted, stopped(east, west)], [[], [undefined, undefined]]);
    assert.equal(names(west), 'g-new g-old e-old');
    assert.equal(leftOver(west, GLOBAL_PEER), 'g-new');
    assertInStep(system);
    for (const zone of [east, west]) say(zone, { dropAbsent: GLOBAL_PEER });
    assert.equal(names(west), 'g-old e-old');
    apply(global, 'g-next');
    world.run(A_WHILE);
    assert.equal(names(west), 'g-next g-old e-old');
    assertInStep(system);
  });

  test(`a zone is restored, and comes back ${when}`, () => {
    const system = newSystem(2);
    const { world, global, east, west, deleted } = system;
    const backup = east.backup();
    apply(east, 'e-new');
    world.run(LATER);
    restore(system, east, backup, pause);
    world.run(A_WHILE);
    assert.equal(east.ended(), undefined);
    assert.ok(diverged(east.plane.store));
    say(east, {});
    world.run(A_WHILE);
    assert.deepEqual(deleted, []);
    assert.equal(names(west), 'g-old e-new e-old');
    assertInStep(system);
    say(global, { dropAbsent: 'east' });
    world.run(A_WHILE);
    assert.deepEqual(deleted, ['global: e-new', 'west: e-new']);
    assertInStep(system);
  });
}

const numbered = (name: string, count: number): string[] => Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);

/**
 * Global is restored and writes on while nobody hears it; then all talk again, nothing is deleted, and the operator has
 * a word.
 */
function restoreApart({ world, global, east, west, deleted }: RestoredSystem, backup: Buffer, written: readonly string[]): void {
  for (const zone of [east, west]) zone.setConnected(false);
  global.restore(backup);
  global.start();
  for (const name of written) apply(global, name);
  world.run(LATER);
  for (const zone of [east, west]) zone.setConnected(true);
  world.run(A_WHILE);
  assert.deepEqual(deleted, []);
  assert.ok(diverged(global.plane.store));
  assert.deepEqual(stopped(east, west), ['diverged', 'diverged']);
  say(global, {});
  world.run(A_WHILE);
  assert.deepEqual(deleted, []);
}

test('a restored sender commits up to and past what its receivers have, before they talk again', async (t) => {
  for (const more of [1, 2, 3, 4, 5]) {
    await t.test(`${more} commits after the backup, where two were lost`, () => {
      const system = newSystem(3);
      const { world, global, east, west } = system;
      const backup = global.backup();
      apply(global, 'lost-1');
      apply(global, 'lost-2');
      world.run(LATER);
      restoreApart(system, backup, numbered('again', more));
      assert.equal(leftOver(east, GLOBAL_PEER), 'lost-1 lost-2');
      assert.match(names(west), new RegExp(`again-${more} .*lost-1 lost-2`));
    });
  }
});

test('a receiver that is restored catches up, and loses nothing', () => {
  const system = newSystem(4);
  const { world, global, east, west } = system;
  const backup = west.backup();
  apply(global, 'g-new');
  remove(east, 'e-old');
  apply(east, 'e-new');
  world.run(LATER);
  west.restore(backup);
  assert.equal(names(west), 'g-old e-old');
  west.start();
  world.run(A_WHILE);
  assert.equal(names(west), 'g-new g-old e-new');
  assert.equal(diverged(west.plane.store), undefined);
  assertInStep(system);
});

test('a store is restored to what it was before it first spoke', () => {
  const { world, global, east, west, deleted } = newSystem(10);
  east.lose();
  const backup = east.backup();
  east.start();
  say(global, { acceptStore: 'east' });
  world.run(LATER);
  apply(east, 'e-lost');
  world.run(LATER);
  east.restore(backup);
  east.start();
  world.run(A_WHILE);
  assert.ok(diverged(east.plane.store));
  say(east, {});
  world.run(A_WHILE);
  assert.deepEqual(deleted, []);
  assert.equal(names(west), 'g-old e-lost e-old');
});

test('a restored store writes more than its log holds before anybody shows it a cursor', () => {
  const system = newSystem(11, 3);
  const { world, global, west } = system;
  const backup = global.backup();
  apply(global, 'lost');
  world.run(LATER);
  restoreApart(system, backup, numbered('new', 9));
  assert.equal(leftOver(west, GLOBAL_PEER), 'lost');
});

test('global is restored while an empty zone writes what global had sent', () => {
  const system = newSystem(12);
  const { world, global, west } = system;
  west.lose();
  say(global, { acceptStore: 'west' });
  const backup = global.backup();
  apply(global, ...numbered('lost', 30));
  apply(global, 'lost');
  world.busy = 1;
  west.start();
  while (west.plane.store.setting('filling') !== 'yes') world.run(10);
  global.restore(backup);
  global.start();
  world.run(A_WHILE);
  // Any zone may show it first: it sends nothing from then on, and the others see that too.
  assert.ok(diverged(global.plane.store));
  assert.deepEqual(stopped(system.east, west), ['diverged', 'diverged']);
  say(global, {});
  apply(global, 'new');
  world.run(A_WHILE);
  assert.match(names(west), /new/);
  assertInStep(system);
});

test("a zone's volume is lost", () => {
  const system = newSystem(5);
  const { world, global, east, west, deleted } = system;
  apply(east, 'e-gone');
  world.run(LATER);
  east.lose();
  east.start();
  world.run(A_WHILE);
  assert.equal(global.view('east')?.stopped?.code, 'store-changed');
  assert.equal(names(west), 'g-old e-gone e-old');
  say(global, { acceptStore: 'east' });
  world.run(LATER);
  apply(east, 'e-old', 'e-new');
  world.run(A_WHILE);
  assert.deepEqual(deleted, []);
  assert.equal(names(west), 'g-old e-gone e-new e-old');
  assertInStep(system);
  say(global, { dropAbsent: 'east' });
  world.run(A_WHILE);
  assert.deepEqual(deleted, ['global: e-gone', 'west: e-gone']);
  assertInStep(system);
});

test("global's volume is lost", () => {
  const system = newSystem(6);
  const { world, global, east, west, deleted } = system;
  global.lose();
  global.start();
  apply(global, 'g-new');
  world.run(A_WHILE);
  for (const zone of [east, west]) assert.equal(zone.view(GLOBAL_PEER)?.stopped?.code, 'store-changed');
  for (const zone of [east, west]) say(zone, { acceptStore: GLOBAL_PEER });
  world.run(A_WHILE);
  assert.deepEqual(deleted, []);
  assert.equal(names(west), 'g-new g-old e-old');
  assert.equal(names(global), 'g-new e-old');
  assertInStep(system);
});

test('both orders at once drop nothing, for the new store has not said yet what it has', () => {
  const { world, global, east, west, deleted } = newSystem(7);
  east.lose();
  east.start();
  world.run(LATER);
  say(global, { acceptStore: 'east', dropAbsent: 'east' });
  world.run(A_WHILE);
  assert.deepEqual(deleted, []);
  assert.equal(names(west), 'g-old e-old');
  say(global, { dropAbsent: 'east' });
  world.run(A_WHILE);
  assert.equal(names(west), 'g-old');
});

test('of two processes of a zone the later one goes on, the older one ends', () => {
  const { world, global, east, deleted } = newSystem(8);
  const twin = world.startTwin('east', east.backup());
  world.run(A_WHILE);
  assert.match(east.ended() ?? '', /later process/);
  assert.equal(twin.ended(), undefined);
  apply(twin, 'e-new');
  world.run(LATER);
  assert.equal(names(global), 'g-old e-new e-old');
  assert.deepEqual(deleted, []);
});

test('of two processes of global the later one goes on, also when their first words were lost', () => {
  const { world, global } = newSystem(9);
  const backup = global.backup();
  world.weather = { ...world.weather, loss: 1 };
  const twin = world.startTwin('', backup);
  world.run(1_000);
  world.weather = { ...world.weather, loss: 0 };
  world.run(A_WHILE);
  assert.match(global.ended() ?? '', /later process/);
  assert.equal(twin.ended(), undefined);
});
