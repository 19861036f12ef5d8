import { isFilling, hasFirstScan } from '../peers/first-scan-state.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { makePosition, signer } from '../../kds/cursor.ts';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import { GLOBAL } from '../../resource/resource.ts';
import { atOnce } from '../../resource/store/parts.ts';
import { applyWhole, applyFirstScan, isFirstScan } from './first-scan.ts';
import { writePeer } from '../peers/known-peers.ts';
import type { Plane } from '../plane/plane.ts';
import type { Transfer } from './apply-transfer.ts';
import { EAST, forAll, held, newGlobal, newPlane } from '../../../test/harness/control-planes.ts';
import { writeDrafts } from '../../../test/harness/write-drafts.ts';

/** A zone without anything of global, and all that global has for it as one transfer. */
function first(policies: number): { zone: Plane; transfer: Transfer } {
  const [global, zone] = [newGlobal(), newPlane(EAST)];
  for (let index = 0; index < policies; index++) writeDrafts(global, [forAll(`p${index}`)]);
  const { items } = global.store.feed.page('east', undefined, Number.POSITIVE_INFINITY);
  const end = makePosition(signer('secret'), 'east', global.store.head(), global.store.feed.summary('east'));
  const lines = items.map(({ wire }) => wire);
  const half = lines.length >> 1;
  zone.store.commit((tx) => {
    writePeer(tx, GLOBAL_PEER, { store: end.store });
    tx.mirror.stage(
      GLOBAL_PEER,
      items.slice(0, half).map(({ key, wire }) => ({ key, wire })),
    );
  });
  return { zone, transfer: { peer: GLOBAL_PEER, origin: GLOBAL, mode: 'scan', lines: lines.slice(half), end } };
}

const sizes = fc.record({ policies: fc.integer({ min: 0, max: 12 }), slice: fc.integer({ min: 1, max: 5 }) });

test('a fill gives what one commit gives, and the zone stays closed until its last part', () => {
  fc.assert(
    fc.property(sizes, ({ policies, slice }) => {
      const { zone, transfer } = first(policies);
      assert.equal(isFirstScan(zone, transfer), true);
      const filling = applyFirstScan(zone, transfer, slice);
      let before = held(zone).length;
      for (let step = filling.next(); ; step = filling.next()) {
        if (step.done) {
          assert.equal(step.value, 'applied');
          break;
        }
        assert.equal(hasFirstScan(zone.store), false);
        assert.ok(held(zone).length - before <= slice);
        before = held(zone).length;
      }
      const other = first(policies);
      assert.equal(atOnce(applyWhole(other.zone, other.transfer)), 'applied');
      assert.deepEqual([held(zone), hasFirstScan(zone.store), isFilling(zone.store)], [held(other.zone), true, false]);
      assert.deepEqual([...zone.store.mirror.staged(GLOBAL_PEER)], []);
    }),
    { numRuns: 30 },
  );
});

test('a fill that ended early leaves the zone closed, and a scan in one commit makes it whole', () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 10 }), ({ policies, slice }, steps) => {
      const { zone, transfer } = first(policies);
      const filling = applyFirstScan(zone, transfer, slice);
      for (let step = 0; step < steps; step++) if (filling.next().done) return;
      assert.equal(hasFirstScan(zone.store), false);
      assert.equal(atOnce(applyWhole(zone, transfer)), 'applied');
      assert.deepEqual([held(zone).length, hasFirstScan(zone.store), isFilling(zone.store)], [policies, true, false]);
    }),
    { numRuns: 30 },
  );
});

test('what does not add up is not written, not even a part', () => {
  const { zone, transfer } = first(5);
  const filling = applyFirstScan(zone, { ...transfer, end: { ...transfer.end, count: 4 } }, 1);
  let step = filling.next();
  while (!step.done) step = filling.next();
  assert.deepEqual(
    [step.value, held(zone), isFilling(zone.store), [...zone.store.mirror.staged(GLOBAL_PEER)]],
    ['mismatch', [], false, []],
  );
});

test('a fill ends where an operator accepts another store, and the zone stays closed', () => {
  const { zone, transfer } = first(5);
  const filling = applyFirstScan(zone, transfer, 1);
  while (!isFilling(zone.store)) filling.next();
  zone.store.commit((tx) => writePeer(tx, GLOBAL_PEER, { store: 'another' }));
  assert.deepEqual([filling.next(), hasFirstScan(zone.store)], [{ done: true, value: 'failed' }, false]);
});

test('what is not the first of global comes in one commit', () => {
  const { zone, transfer } = first(3);
  assert.equal(isFirstScan(zone, { ...transfer, mode: 'delta' }), false);
  atOnce(applyWhole(zone, transfer));
  assert.equal(isFirstScan(zone, transfer), false);
  zone.store.commit((tx) => tx.mirror.setPosition(GLOBAL_PEER, undefined));
  assert.equal(isFirstScan(zone, transfer), false);
});
