import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { apply, count, policy } from '../../bench/system.ts';
import { type Daemon, startDaemon } from '../harness/daemon.ts';
import { type Nats, startNats } from '../harness/nats.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';
import { startFleet, startLight } from './fleet.ts';
import { LightZone } from './light-zone.ts';
import { SlowTransport } from './slow-transport.ts';

const ZONES = 30;
const POLICIES = 2_000;
const CHANGES = 20;
const PROBES = 5;
const BIG_CHANGES = 8;

/** `npm run bench -- scale` in small: a real global and NATS, light zones, one real zone. */
describe('many zones, many policies, a slow zone', () => {
  const scope = new Scope();
  let nats: Nats;
  let global: Daemon;
  before(async () => {
    nats = await startNats(scope);
    global = await startDaemon(scope, 'global', { MERIDIAN_NATS_URL: nats.url });
  });
  after(() => scope.close());

  test('light zones all have the last of many changes, and every transfer adds up', async () => {
    const last = new Map<string, number>();
    const zones = startFleet(scope, nats.url, ZONES, (key, wire) => {
      if (wire.includes(`/sa/v${CHANGES}"`)) last.set(key.name, (last.get(key.name) ?? 0) + 1);
    });
    await until('all are there', () => zones.every((zone) => zone.holds()));
    for (let change = 1; change <= CHANGES; change++) await apply(global, [policy(0, `v${change}`)]);
    await until('all have the last', () => last.get('bulk-0') === ZONES);
    await until('all hold the same', () => same(zones));
    assert.deepEqual(
      zones.map(({ mismatches }) => mismatches),
      zones.map(() => 0),
    );
    // Of many changes in a row each zone gets the last state: never more than there were.
    for (const zone of zones) assert.ok(zone.applied <= CHANGES + (zone.holds()?.count ?? 0), `${zone.name} applied ${zone.applied}`);
  });

  test('a fresh zone takes thousands of policies, each once, while others get their changes', async () => {
    await apply(
      global,
      Array.from({ length: POLICIES }, (_, index) => policy(index, 'bulk')),
    );
    let probes = 0;
    const other = startLight(scope, nats.url, 'other', (key) => {
      if (key.name === 'bulk-probe') probes += 1;
    });
    await until('the other has all', () => (other.holds()?.count ?? 0) > POLICIES);
    const fresh = await startDaemon(scope, 'zone', { MERIDIAN_NATS_URL: nats.url, MERIDIAN_ZONE_NAME: 'fresh' });
    for (let probe = 0; probe < PROBES; probe++) {
      const seen = probes;
      await apply(global, [{ ...policy(0, `p${probe}`), name: 'bulk-probe' }]);
      await until('the other zone has the change', () => probes > seen);
    }
    await until('the fresh zone has all', async () => (await count(fresh)) === (await count(global)));
    await fresh.untilReady();
    assert.equal(other.mismatches, 0);
    await fresh.stop();
  });

  test('a zone that reads at a crawl delays nobody, and catches up', async () => {
    const transport = new SlowTransport(Number(new URL(nats.url).port), 'slow', 1e9);
    const slow = new LightZone('slow', transport);
    scope.add(() => {
      slow.stop();
      transport.close();
    });
    let seen = '';
    const quick = startLight(scope, nats.url, 'quick', (key, wire) => {
      if (key.name === 'bulk-1') seen = /\/sa\/([a-z0-9-]+)"/.exec(wire)?.[1] ?? '';
    });
    await until('both have what they must', () => same([slow, quick]));
    const before = slow.holds()?.digest;
    transport.bytesPerSecond = 1_000;
    for (let change = 0; change < BIG_CHANGES; change++) {
      const version = `c${change}-${'x'.repeat(1_000)}`;
      await apply(
        global,
        Array.from({ length: 40 }, (_, index) => policy(index, version)),
      );
      await until('the quick one has it', () => seen === version);
    }
    assert.equal(slow.holds()?.digest, before, 'the slow one can not have read it yet');
    transport.bytesPerSecond = 1e9;
    await until('the slow one has caught up', () => same([slow, quick]));
  });
});

function same(zones: readonly LightZone[]): boolean {
  const held = new Set(zones.map((zone) => JSON.stringify(zone.holds())));
  return held.size === 1 && !held.has('undefined') && zones[0]?.holds() !== undefined;
}
