import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MeridianError } from '../../errors.ts';
import { ACKNOWLEDGE_INTERVAL, encodeMessage, STATUS_INTERVAL } from '../../kds/protocol.ts';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import { forAll, held, newGlobal, timeout } from '../../../test/harness/control-planes.ts';
import { ledger } from '../operate/ledger.ts';
import { readiness } from '../operate/readiness.ts';
import { recover } from '../operate/recover.ts';
import { exchange, onDisk, pair, WiredSync } from '../../../test/harness/wired-sync.ts';
import { writeDrafts } from '../../../test/harness/write-drafts.ts';

test('what is written in a zone is at global, and the other way round, without a tick', () => {
  const { global, zone } = pair();
  writeDrafts(zone.plane, [timeout('up')]);
  writeDrafts(global.plane, [forAll('down')]);
  exchange(global, zone);
  assert.deepEqual(
    [held(global.plane), held(zone.plane)],
    [
      ['down', 'up'],
      ['down', 'up'],
    ],
  );
  for (const one of [global, zone]) {
    one.now += ACKNOWLEDGE_INTERVAL;
    one.sync.tick();
  }
  exchange(global, zone);
  assert.equal(global.sync.view('east').ack?.position?.digest, global.sync.view('east').head.digest);
  assert.equal(zone.sync.view(GLOBAL_PEER).upToDate, true);
});

test('of commits in a row a peer is told at once of the first, and then of the last', () => {
  const { global, zone } = pair();
  global.now = zone.now = 1_000;
  const told: number[] = [];
  for (const name of ['a', 'b', 'c']) {
    writeDrafts(global.plane, [forAll(name)]);
    global.run();
    for (const { message } of global.sent.splice(0)) zone.hear(GLOBAL_PEER, encodeMessage(message));
    told.push(zone.sent.splice(0).length);
  }
  zone.now += ACKNOWLEDGE_INTERVAL;
  zone.sync.tick();
  zone.run();
  assert.deepEqual([...told, zone.sent.length], [1, 0, 0, 1]);
});

test('a push says no more than what changed', () => {
  const { global, zone } = pair();
  writeDrafts(global.plane, [forAll('down')]);
  global.run();
  assert.deepEqual(global.kinds(), ['push']);
  exchange(global, zone);
  global.run();
  assert.deepEqual(global.kinds(), []);
});

test('what is no message is refused, and the next one is heard', () => {
  const { global, zone } = pair();
  for (const noise of ['', '{}', 'x'.repeat(2_000_000)]) global.hear('east', noise);
  const refused = (): number => global.reports.filter((report) => report === 'warn: a message was refused').length;
  assert.equal(refused(), 1);
  global.now = 60_000;
  global.sync.tick();
  assert.equal(refused(), 2);
  writeDrafts(zone.plane, [timeout('up')]);
  exchange(global, zone);
  assert.deepEqual(held(global.plane), ['up']);
});

test('a disabled zone gets nothing and nothing is taken from it; enabled again, all arrives', () => {
  const { global, zone } = pair();
  const set = (enabled: boolean) => {
    writeDrafts(global.plane, [{ type: 'Zone', mesh: '', name: 'east', namespace: undefined, labels: {}, spec: { enabled } }]);
  };
  set(false);
  writeDrafts(zone.plane, [timeout('up')]);
  writeDrafts(global.plane, [forAll('down')]);
  exchange(global, zone);
  assert.deepEqual([held(global.plane), held(zone.plane)], [['down'], ['up']]);
  assert.equal(zone.sync.view(GLOBAL_PEER).stopped?.code, 'disabled');
  assert.equal(global.sync.view('east').stopped?.message, 'zone east is disabled at global');
  set(true);
  // The zone may be away: what it was told is no reason any more.
  assert.equal(global.sync.view('east').stopped, undefined);
  for (const side of [global, zone]) {
    side.now += STATUS_INTERVAL;
    side.sync.tick();
  }
  exchange(global, zone);
  assert.deepEqual(
    [held(global.plane), held(zone.plane)],
    [
      ['down', 'up'],
      ['down', 'up'],
    ],
  );
});

function tenSeconds(global: WiredSync, zone: WiredSync): void {
  for (let second = 1; second <= 10; second++) {
    for (const side of [global, zone]) {
      side.now += 1_000;
      side.sync.tick();
    }
    exchange(global, zone);
  }
}

test('what is not taken at all is told to both sides, until it is', () => {
  const { global, zone } = pair();
  const disk = { full: true };
  const full = onDisk(global.plane, disk);
  exchange(full, zone);
  writeDrafts(zone.plane, [timeout('up')]);
  exchange(full, zone);
  full.now += STATUS_INTERVAL;
  full.sync.tick();
  exchange(full, zone);
  assert.deepEqual([full.sync.view('east').notTaken, zone.sync.view(GLOBAL_PEER).ack?.notTaken], ['the disk is full', 'the disk is full']);
  assert.deepEqual(readiness(zone.plane, zone.sync, undefined).warnings, ['global takes nothing of what is sent to it: the disk is full']);
  assert.deepEqual(readiness(full.plane, full.sync, undefined).warnings, [
    'zone east: nothing of what it sends is taken: the disk is full',
  ]);
  assert.equal(
    ledger(zone.plane, [...zone.plane.store.each('MeshTimeout')], (peer) => zone.sync.view(peer))[0]?.reason,
    'the disk is full',
  );
  disk.full = false;
  full.now += STATUS_INTERVAL;
  full.sync.tick();
  exchange(full, zone);
  full.now += STATUS_INTERVAL;
  full.sync.tick();
  exchange(full, zone);
  assert.deepEqual(held(full.plane), ['up']);
  assert.deepEqual([full.sync.view('east').notTaken, zone.sync.view(GLOBAL_PEER).ack?.notTaken], [undefined, undefined]);
});

test('a disk that is full for a while delays, and ends nothing', () => {
  const { global, zone } = pair();
  const disk = { full: true };
  const broken = onDisk(global.plane, disk);
  writeDrafts(zone.plane, [timeout('up')]);
  exchange(broken, zone);
  assert.deepEqual(held(broken.plane), []);
  assert.ok(broken.reports.some((report) => report.startsWith('error: the store did not take')));
  disk.full = false;
  tenSeconds(broken, zone);
  assert.deepEqual(held(broken.plane), ['up']);
});

test('a transfer whose beginning the disk did not take is asked for again', () => {
  const { global, zone } = pair();
  const disk = { full: false };
  const broken = onDisk(global.plane, disk);
  exchange(broken, zone);
  writeDrafts(zone.plane, [timeout('up')]);
  const say = (from: WiredSync, to: WiredSync): void => {
    from.run();
    const peer = from === zone ? 'east' : GLOBAL_PEER;
    for (const { to: meant, message } of from.sent.splice(0)) if (meant !== peer) to.hear(peer, encodeMessage(message));
  };
  say(zone, broken);
  say(broken, zone);
  // The answer comes when an operator has just accepted another store, and the disk is full.
  broken.plane.store.commit((tx) => recover(tx, broken.plane, { acceptStore: 'east' }));
  disk.full = true;
  say(zone, broken);
  disk.full = false;
  tenSeconds(broken, zone);
  assert.deepEqual(held(broken.plane), ['up']);
});

test('a store that can not be read for a while delays, and ends nothing', () => {
  const { global, zone } = pair();
  const disk = { broken: false };
  const { store } = global.plane;
  const position: typeof store.mirror.position = (peer) => {
    if (disk.broken) throw new MeridianError('unavailable', 'a page can not be read');
    return store.mirror.position(peer);
  };
  const broken = new WiredSync({ ...global.plane, store: { ...store, mirror: { ...store.mirror, position } } }, 2);
  exchange(broken, zone);
  writeDrafts(zone.plane, [timeout('up')]);
  disk.broken = true;
  tenSeconds(broken, zone);
  assert.deepEqual(held(broken.plane), []);
  assert.ok(broken.reports.includes('error: the store could not be read'));
  disk.broken = false;
  tenSeconds(broken, zone);
  assert.deepEqual(held(broken.plane), ['up']);
});

test('where answers are lost on the way, the one who gives them says so, until they arrive', () => {
  const { global, zone } = pair();
  writeDrafts(global.plane, [forAll('all')]);
  for (let second = 1; second <= 12; second++) {
    for (const side of [global, zone]) {
      side.now += 1_000;
      side.sync.tick();
      side.run();
    }
    for (const { message } of zone.sent.splice(0)) global.hear('east', encodeMessage(message));
    for (const { to, message } of global.sent.splice(0))
      if (to === 'east' && message.body.kind === 'status') zone.hear(GLOBAL_PEER, encodeMessage(message));
  }
  assert.match(global.sync.view('east').unsent ?? '', /asked \d times for the same.*max_payload/);
  tenSeconds(global, zone);
  tenSeconds(global, zone);
  assert.deepEqual(held(zone.plane), ['all']);
  assert.equal(global.sync.view('east').unsent, undefined);
});

test('a process of global says that it is there, again and again', () => {
  const global = new WiredSync(newGlobal());
  const said = () => global.sent.splice(0).filter(({ to }) => to === GLOBAL_PEER).length;
  assert.equal(said(), 1);
  global.sync.tick();
  assert.equal(said(), 0);
  global.now += STATUS_INTERVAL;
  global.sync.tick();
  assert.equal(said(), 1);
});

test('a zone can not end a process of global, global can end one of a zone', () => {
  const { global, zone } = pair();
  const notice = (from: WiredSync) => {
    const { store, term } = from.plane.store.head();
    const body = { kind: 'notice' as const, code: 'superseded' as const, message: 'stop' };
    return encodeMessage({ from: { store, term, incarnation: 9, instance: 'ff' }, body, lines: [] });
  };
  global.hear('east', notice(zone));
  zone.hear(GLOBAL_PEER, notice(global));
  assert.deepEqual([global.sync.ended(), zone.sync.ended()], [undefined, 'stop']);
});
