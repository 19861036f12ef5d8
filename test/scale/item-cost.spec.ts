import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchCommits } from '../../src/control/plane/watch-commits.ts';
import type { Plane } from '../../src/control/plane/plane.ts';
import { writePeer } from '../../src/control/peers/known-peers.ts';
import { keepBeside, warningsAbout } from '../../src/control/write/write-warnings.ts';
import { GLOBAL_PEER } from '../../src/resource/audience.ts';
import { type Draft, GLOBAL, type Place } from '../../src/resource/resource.ts';
import { carry, EAST, MESH, NOW } from '../harness/control-planes.ts';
import { countedStore } from '../harness/test-store.ts';
import { writeDrafts } from '../harness/write-drafts.ts';

const FEW = 50;
const MANY = 2_000;

/** A permission for every proxy: what a write of it costs is what it costs at least. */
function permission(name: string, version: number): Draft {
  const value = `spiffe://default/ns/app/sa/${version}`;
  const spec = { targetRef: { kind: 'Dataplane' }, rules: [{ default: { allow: [{ spiffeID: { type: 'Exact', value } }] } }] };
  return { type: 'MeshTrafficPermission', mesh: 'default', name, namespace: undefined, labels: {}, spec };
}

interface CountedPlane {
  readonly plane: Plane;
  /** The statements that SQLite runs meanwhile. */
  count(what: () => void): number;
}

function counted(place: Place): CountedPlane {
  const { store, statements } = countedStore();
  const { plane } = watchCommits({ place, store, now: () => NOW }, () => {});
  const count = (what: () => void): number => {
    const before = statements();
    what();
    return statements() - before;
  };
  return { plane, count };
}

/** What one more write, its warnings and its way to a zone cost where `there` policies are, in statements. */
function costs(there: number) {
  const [global, zone] = [counted(GLOBAL), counted(EAST)];
  const beside = keepBeside(global.plane);
  const write = (drafts: readonly Draft[]) => {
    const written = writeDrafts(global.plane, drafts);
    warningsAbout(
      global.plane,
      written.map(({ key }) => key),
      beside,
    );
  };
  write([MESH]);
  zone.plane.store.commit((tx) => writePeer(tx, GLOBAL_PEER, { store: global.plane.store.head().store }));
  write(Array.from({ length: there }, (_, index) => permission(`p-${index}`, 0)));
  assert.equal(carry(global.plane, zone.plane), 'applied');
  const step = (draft: Draft) => ({
    written: global.count(() => write([draft])),
    received: zone.count(() => assert.equal(carry(global.plane, zone.plane, 'delta'), 'applied')),
  });
  // The first of each kind reads what is then kept.
  for (const draft of [permission('p-0', 1), permission('new', 1)]) step(draft);
  const result = { changed: step(permission('p-1', 1)), created: step(permission('newer', 1)) };
  for (const { plane } of [global, zone]) plane.store.close();
  return result;
}

test('one change costs the same statements, however many policies there are, and few', () => {
  const [few, many] = [costs(FEW), costs(MANY)];
  assert.deepEqual(many, few);
  for (const { written, received } of Object.values(many)) {
    assert.ok(written <= 24, `a write takes ${written} statements`);
    assert.ok(received <= 24, `a received change takes ${received} statements`);
  }
});
