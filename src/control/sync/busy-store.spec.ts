import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ANSWER_TIMEOUT, encodeMessage, SILENCE, STATUS_INTERVAL } from '../../kds/protocol.ts';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import type { Plane } from '../plane/plane.ts';
import { EAST, forAll, held, MESH, newGlobal, newPlane, timeout } from '../../../test/harness/control-planes.ts';
import { diverged } from '../peers/divergence.ts';
import { recover } from '../operate/recover.ts';
import { exchange, onDisk, WiredSync } from '../../../test/harness/wired-sync.ts';
import { freshPath, openTestStore } from '../../../test/harness/test-store.ts';
import { writeDrafts } from '../../../test/harness/write-drafts.ts';

test('while a large write keeps a store its peer is answered, and what the peer sent is taken after it', async (t) => {
  const store = openTestStore(freshPath(t));
  t.after(() => store.close());
  const [global, zone] = [new WiredSync(newGlobal()), new WiredSync({ ...newPlane(EAST), store })];
  exchange(global, zone);
  writeDrafts(zone.plane, [timeout('up')]);
  const large = zone.plane.store.commitInParts(function* (tx) {
    tx.setSetting('large', 'write');
    yield;
  });
  large.next();
  writeDrafts(global.plane, [forAll('down')]);
  exchange(global, zone);
  assert.deepEqual([held(global.plane), held(zone.plane)], [['down', 'up'], ['up']]);
  zone.now = SILENCE + STATUS_INTERVAL;
  zone.sync.tick();
  zone.run();
  assert.deepEqual(zone.kinds(), ['status']);
  assert.equal(zone.sync.view(GLOBAL_PEER).online, true);
  assert.equal(large.next().done, true);
  await turn();
  exchange(global, zone);
  assert.deepEqual(held(zone.plane), ['down', 'up']);
  assert.deepEqual(zone.reports, []);
});

/** A zone whose store is in a file, and a large write that keeps it. */
function busyZone(t: TestContext): { global: WiredSync; zone: WiredSync; begin(): () => void } {
  const store = openTestStore(freshPath(t));
  t.after(() => store.close());
  const [global, zone] = [new WiredSync(newGlobal()), new WiredSync({ ...newPlane(EAST), store })];
  exchange(global, zone);
  const begin = (): (() => void) => {
    const large = store.commitInParts(function* (tx) {
      tx.setSetting('large', 'write');
      yield;
    });
    large.next();
    return () => assert.equal(large.next().done, true);
  };
  return { global, zone, begin };
}

test('an answer that can not be looked at yet is not asked for again', async (t) => {
  const { global, zone, begin } = busyZone(t);
  global.sync.connection(false);
  writeDrafts(global.plane, [forAll('down')]);
  global.sync.connection(true);
  for (const { to, message } of global.sent.splice(0)) if (to === 'east') zone.hear(GLOBAL_PEER, encodeMessage(message));
  assert.deepEqual(zone.kinds().slice(-1), ['pull']);
  const end = begin();
  exchange(global, zone);
  for (let waited = 0; waited < 2 * ANSWER_TIMEOUT; waited += STATUS_INTERVAL) {
    zone.now += STATUS_INTERVAL;
    zone.sync.tick();
    zone.run();
  }
  assert.deepEqual(new Set(zone.kinds()), new Set(['status']));
  end();
  await turn();
  assert.deepEqual(held(zone.plane), ['down']);
});

test('a sync that is stopped leaves the store alone, which is closed then', async (t) => {
  const { global, zone, begin } = busyZone(t);
  begin();
  writeDrafts(global.plane, [forAll('down')]);
  exchange(global, zone);
  zone.sync.stop();
  zone.plane.store.close();
  await turn();
  zone.run();
  assert.deepEqual(zone.reports, []);
});

test('a transfer that is under way when the sync is stopped is given up', async (t) => {
  const { global, zone } = busyZone(t);
  const [before, { store }] = [held(zone.plane), zone.plane];
  let looks = 0;
  Object.defineProperty(zone, 'now', { get: () => (looks += 10) });
  const many = Array.from({ length: 300 }, (_, index) => forAll(`down-${index}`));
  writeDrafts(global.plane, many);
  const isBegun = (): boolean => !store.isFree();
  for (let task = 0; !isBegun() && task < 100; task++) {
    for (const one of [global, zone]) one.runOne();
    for (const { to, message } of global.sent.splice(0)) if (to === 'east') zone.sync.message(GLOBAL_PEER, encodeMessage(message));
    for (const { message } of zone.sent.splice(0)) global.sync.message('east', encodeMessage(message));
  }
  assert.ok(isBegun());
  zone.sync.stop();
  zone.run();
  assert.deepEqual([store.isFree(), held(zone.plane), zone.reports], [true, before, []]);
  await turn();
});

test('what was held back comes before what is heard later', async (t) => {
  const { global, zone, begin } = busyZone(t);
  const end = begin();
  writeDrafts(global.plane, [forAll('first')]);
  exchange(global, zone);
  end();
  writeDrafts(global.plane, [forAll('second')]);
  global.run();
  for (const { message } of global.sent.splice(0)) zone.hear(GLOBAL_PEER, encodeMessage(message));
  await turn();
  assert.deepEqual([held(zone.plane), zone.kinds()], [['first', 'second'], []]);
});

test('a large transfer is paid for by its sender, slice by slice', async (t) => {
  const store = openTestStore(freshPath(t));
  t.after(() => store.close());
  const plane = { ...newGlobal(), store };
  writeDrafts(plane, [MESH]);
  const [global, zone] = [new WiredSync(plane), new WiredSync(newPlane(EAST))];
  exchange(global, zone);
  // Whoever looks at the clock has needed some time.
  let clock = 0;
  Object.defineProperty(global, 'now', { get: () => (clock += 20) });
  writeDrafts(
    zone.plane,
    Array.from({ length: 300 }, (_, index) => timeout(`up-${index}`)),
  );
  for (exchange(global, zone); held(global.plane).length < 300; exchange(global, zone)) await turn();
  zone.now += STATUS_INTERVAL;
  zone.sync.tick();
  exchange(global, zone);
  assert.match(global.sync.view('east').notTaken ?? '', /more than its share of the time/);
});

/** Global's store, as it was before it sent a zone what that has. */
async function restored(t: TestContext): Promise<{ plane: Plane; zone: WiredSync }> {
  const path = freshPath(t);
  const before = openTestStore(path);
  const [first, zone] = [new WiredSync({ ...newGlobal(), store: before }), new WiredSync(newPlane(EAST))];
  writeDrafts(first.plane, [MESH]);
  exchange(first, zone);
  const backup = before.snapshot();
  writeDrafts(first.plane, [forAll('lost')]);
  exchange(first, zone);
  before.close();
  await Promise.all(['-wal', '-shm'].map((end) => rm(`${path}${end}`, { force: true })));
  await writeFile(path, backup);
  const store = openTestStore(path);
  t.after(() => store.close());
  return { plane: { ...first.plane, store }, zone };
}

/** The zone shows global what it has, and is told that it gets nothing; no commit says that yet. */
function show(zone: WiredSync, global: WiredSync): void {
  zone.now += STATUS_INTERVAL;
  zone.sync.tick();
  exchange(global, zone);
  assert.deepEqual([diverged(global.plane.store), zone.sync.view(GLOBAL_PEER).stopped?.code], [undefined, 'diverged']);
}

test('a store that is found restored while it is busy writes that down as soon as it is free', async (t) => {
  const { plane, zone } = await restored(t);
  const { store } = plane;
  const global = new WiredSync(plane, 2);
  const large = store.commitInParts(function* (tx) {
    tx.setSetting('large', 'write');
    yield;
  });
  large.next();
  show(zone, global);
  assert.equal(large.next().done, true);
  await turn();
  assert.match(diverged(store) ?? '', /east holds/);
  const [done] = store.commit((tx) => recover(tx, plane, {}));
  assert.match(done ?? '', /sends again, in term 2/);
});

test('a store that is found restored while the disk is full writes that down when there is room', async (t) => {
  const { plane, zone } = await restored(t);
  const disk = { full: true };
  const global = onDisk(plane, disk);
  show(zone, global);
  global.now += STATUS_INTERVAL;
  global.sync.tick();
  global.run();
  const said = global.sent.splice(0).flatMap(({ message: { body } }) => (body.kind === 'status' ? [body.head] : []));
  assert.deepEqual(said, [undefined]);
  disk.full = false;
  global.sync.tick();
  assert.match(diverged(plane.store) ?? '', /east holds/);
});
