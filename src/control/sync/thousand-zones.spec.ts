import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeMessage, SILENCE, STATUS_INTERVAL } from '../../kds/protocol.ts';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import { EAST, forAll, newGlobal } from '../../../test/harness/control-planes.ts';
import { WiredSync } from '../../../test/harness/wired-sync.ts';
import { writeDrafts } from '../../../test/harness/write-drafts.ts';

describe('a thousand zones', () => {
  const ZONES = 1_000;
  const names = Array.from({ length: ZONES }, (_, n) => `zone-${n}`);

  /** All have what global has, and said so. */
  function fleet() {
    const global = new WiredSync(newGlobal(...names.map((zone) => ({ ...EAST, zone }))));
    const say = (zone: string): void => {
      const position = { ...global.sync.view(zone).head, signature: '' };
      const from = { store: '00', term: 1, incarnation: 1, instance: '01' };
      global.hear(zone, encodeMessage({ from, body: { kind: 'status', ack: { position, refusals: '' } }, lines: [] }));
    };
    names.forEach(say);
    global.run();
    global.sent.splice(0);
    global.signed = 0;
    return global;
  }

  it('one change for one zone signs, steps and sends for that one', () => {
    const global = fleet();
    const only = { type: 'MeshTimeout', mesh: 'default', zone: '', namespace: '', name: 'one' };
    const resource = { key: only, name: 'one', namespace: '', labels: {}, spec: {}, creationTime: '', modificationTime: '' };
    const ids = global.ids;
    global.plane.store.commit((tx) => tx.put(resource, { to: 'only', zone: 'zone-7' }, 'w'));
    global.run();
    assert.deepEqual(
      global.sent.map(({ to, message }) => `${to} ${message.body.kind}`),
      ['zone-7 push'],
    );
    assert.deepEqual([global.signed, global.ids - ids], [1, 0]);
    // What the others are told later does not wait for a change.
    writeDrafts(global.plane, [forAll('all')]);
    global.run();
    assert.deepEqual(new Set(global.sent.slice(1).map(({ to }) => to)), new Set(names));
    assert.ok(global.sent.slice(1).every(({ message: { body } }) => body.kind === 'push'));
    assert.equal(global.signed, 1 + ZONES);
  });

  it('a change for nobody signs nothing, nor do the ticks of idle sessions; those that are away hear little', () => {
    const global = fleet();
    global.plane.store.commit((tx) => tx.setSetting('x', '1'));
    global.run();
    for (global.now = 500; global.now < STATUS_INTERVAL; global.now += 500) {
      global.sync.tick();
      global.run();
    }
    assert.deepEqual([global.sent.filter(({ to }) => to !== GLOBAL_PEER).length, global.signed], [0, 0]);
    let told = 0;
    for (; global.now < 60_000; global.now += 500) {
      global.sync.tick();
      global.run();
      if (global.now > SILENCE + STATUS_INTERVAL) told += global.sent.filter(({ to }) => to !== GLOBAL_PEER).length;
      global.sent.splice(0);
    }
    assert.ok(told <= 2 * ZONES, `${told} in 50 s`);
  });
});
