import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ledger } from '../../src/control/operate/ledger.ts';
import { GLOBAL_PEER } from '../../src/resource/audience.ts';
import type { Draft, Place } from '../../src/resource/resource.ts';
import { forge } from '../scenario/forge.ts';
import type { Node } from '../simulator/node.ts';
import { NOBODY_WATCHES } from '../simulator/watch.ts';
import { World } from '../simulator/world.ts';
import { deleteResource, writeDrafts } from '../harness/write-drafts.ts';

/** Zones that are away for long, and zones that can't take all that they get: in one process, on a virtual clock. */

const EAST: Place = { zone: 'east', environment: 'kubernetes', systemNamespace: 'kuma-system' };
const WEST: Place = { ...EAST, zone: 'west' };
const A_WHILE = 60_000;
const LONG = 30 * A_WHILE;

interface CutOffZones {
  readonly world: World;
  readonly global: Node;
  readonly east: Node;
  readonly west: Node;
  /** What became of copies, and where: `west deletes b`. */
  readonly deeds: string[];
}

function newSystem(seed: number): CutOffZones {
  const deeds: string[] = [];
  const world = new World(seed, [EAST, WEST], {
    ...NOBODY_WATCHES,
    deleted: (node, key) => void (key.zone !== node.place.zone && deeds.push(`${node.name} deletes ${key.name}`)),
    rewritten: (node, before, after) =>
      void (after.key.zone !== node.place.zone && deeds.push(`${node.name} ${before ? 'rewrites' : 'creates'} ${after.key.name}`)),
  });
  world.run(A_WHILE);
  return { world, global: world.global, east: world.node('east'), west: world.node('west'), deeds };
}

/** Global's policies are for all, a zone's are producer policies, which go to the other zones. */
function draft(node: Node, name: string, timeout = '1s'): Draft {
  const isGlobal = node.place.zone === '';
  const targetRef = isGlobal ? { kind: 'Mesh' } : { kind: 'MeshService', name: 'backend' };
  const spec = { to: [{ targetRef, default: { connectionTimeout: timeout } }] };
  return { type: 'MeshTimeout', mesh: 'default', name, namespace: isGlobal ? undefined : 'app', labels: {}, spec };
}

function apply(node: Node, ...drafts: Draft[]): void {
  assert.ok(node.write((plane) => writeDrafts(plane, drafts)).done);
}

function remove(node: Node, name: string): void {
  const namespace = node.place.zone === '' ? '' : 'app';
  node.write((plane) => deleteResource(plane, { type: 'MeshTimeout', mesh: 'default', zone: node.place.zone, namespace, name }));
}

function names(node: Node): string[] {
  return [...node.plane.store.each('MeshTimeout')].map(({ resource }) => resource.key.name).toSorted();
}

test('a zone that is cut off for long comes back: no other zone sees a delete and a re-creation', async (t) => {
  // Two of these seeds have a log that does not reach back that far, so that the zone has to be scanned.
  const pruned = new Set<boolean>();
  for (let seed = 7; seed <= 10; seed++) {
    await t.test(`seed ${seed}`, () => {
      const { world, global, east, west, deeds } = newSystem(seed);
      pruned.add(world.sizes.logged < 40);
      apply(east, draft(east, 'steady'), draft(east, 'changed'), draft(east, 'removed'));
      world.run(A_WHILE);
      east.setConnected(false);
      deeds.length = 0;
      for (let n = 0; n < 40; n++) apply(global, draft(global, 'busy', `${n}s`));
      world.run(LONG);
      assert.deepEqual(names(west), ['busy', 'changed', 'removed', 'steady']);
      assert.deepEqual(
        [...new Set(deeds)].filter((deed) => !deed.endsWith('busy')),
        [],
        'nothing goes because its zone is away',
      );
      apply(east, draft(east, 'changed', '2s'), draft(east, 'new'));
      remove(east, 'removed');
      world.run(A_WHILE);
      deeds.length = 0;
      east.setConnected(true);
      world.run(A_WHILE);
      const expected = ['global', 'west'].flatMap((who) => [`${who} creates new`, `${who} deletes removed`, `${who} rewrites changed`]);
      assert.deepEqual([...new Set(deeds)].filter((deed) => !deed.endsWith('busy')).toSorted(), expected);
      assert.deepEqual(names(east), ['busy', 'changed', 'new', 'steady']);
    });
  }
  assert.deepEqual(pruned, new Set([true, false]), 'both kinds of log occurred');
});

test('what was deleted while a zone was away, and every message lost, is gone from it when it is back', async (t) => {
  for (const crashes of [false, true]) {
    await t.test(crashes ? 'its process ended too' : 'its process went on', () => {
      const { world, global, east, west } = newSystem(3);
      apply(global, draft(global, 'g-kept'), draft(global, 'g-gone'));
      apply(east, draft(east, 'e-kept'), draft(east, 'e-gone'));
      world.run(A_WHILE);
      if (crashes) west.crash();
      for (const node of [global, east, west]) node.setConnected(false);
      remove(global, 'g-gone');
      remove(east, 'e-gone');
      world.run(A_WHILE);
      for (const node of [global, east, west]) node.setConnected(true);
      if (crashes) west.start();
      world.run(A_WHILE);
      for (const node of [global, east, west]) assert.deepEqual(names(node), ['e-kept', 'g-kept'], node.name);
    });
  }
});

const UNKNOWN_KIND = {
  key: ['MeshThoughtControl', 'default', '', '', 'mind'],
  labels: {},
  spec: {},
  assigned: { name: 'mind-x', role: 'system', references: [] },
};
const UNKNOWN_FIELD = {
  key: ['MeshTrafficPermission', 'default', '', '', 'later'],
  labels: {},
  spec: { targetRef: { kind: 'Mesh' }, rules: [{ default: { deny: [{ moonPhase: 'full' }] } }] },
  assigned: { name: 'later-x', role: 'system', references: [] },
};

test('a zone of an older version: only what it does not know is withheld, it says so, and a deny among it is not lost', () => {
  const { world, global, west } = newSystem(1);
  forge(global, [UNKNOWN_KIND, UNKNOWN_FIELD]);
  apply(global, draft(global, 'known'));
  world.run(A_WHILE);
  assert.deepEqual(names(west), ['known']);
  const refusals = west.plane.store.mirror.refusals(GLOBAL_PEER);
  const [kind, field, ...more] = refusals;
  assert.match(kind?.reason ?? '', /does not know the kind MeshThoughtControl: it needs a newer version/);
  assert.match(field?.reason ?? '', /moonPhase/);
  assert.deepEqual([field?.inForce, more], ['deny', []]);
  const rows = [...global.plane.store.each('MeshTrafficPermission')];
  const said = ledger(global.plane, rows, (peer) => global.view(peer) ?? assert.fail());
  assert.deepEqual(
    said.map(({ peer, state, reason }) => [peer, state, reason?.includes('moonPhase')]),
    ['east', 'west'].map((zone) => [zone, 'refused', true]),
  );
});

test('one refused policy among 3,020 holds up none of the others, now or later', () => {
  const { world, global, west, deeds } = newSystem(8);
  const policies = Array.from({ length: 3_019 }, (_, index) => draft(global, `p-${index}`));
  west.setConnected(false);
  apply(global, ...policies);
  forge(global, [UNKNOWN_FIELD]);
  west.setConnected(true);
  world.run(A_WHILE);
  assert.equal(names(west).length, 3_019);
  assert.deepEqual(
    west.plane.store.mirror.refusals(GLOBAL_PEER).map(({ key }) => key.name),
    ['later'],
  );
  deeds.length = 0;
  apply(global, draft(global, 'p-7', '2s'));
  world.run(A_WHILE);
  assert.deepEqual(
    deeds.filter((deed) => deed.startsWith('west')),
    ['west rewrites p-7'],
    'no scan is gone through again',
  );
  const rows = [...global.plane.store.each('MeshTimeout')];
  const states = ledger(global.plane, rows, (peer) => global.view(peer) ?? assert.fail()).map(({ state }) => state);
  assert.deepEqual(new Set(states), new Set(['applied']));
  assert.equal(states.length, 2 * 3_019);
});
