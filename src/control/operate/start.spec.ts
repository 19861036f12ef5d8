import { markDiverged } from '../peers/divergence.ts';
import { hasFirstScan } from '../peers/first-scan-state.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MeridianError } from '../../errors.ts';
import { isOwn, makePosition } from '../../kds/cursor.ts';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import { GLOBAL, type Place } from '../../resource/resource.ts';
import { fixPlace } from './first-start.ts';
import { beginEpoch } from '../plane/process-identity.ts';
import type { Plane } from '../plane/plane.ts';
import { readiness } from './readiness.ts';
import { recover } from './recover.ts';
import type { Sync } from '../sync/sync.ts';
import { openTestStore } from '../../../test/harness/test-store.ts';
import { deleteResource } from '../../../test/harness/write-drafts.ts';

const EAST: Place = { zone: 'east', environment: 'kubernetes', systemNamespace: 'kuma-system' };
const MESH = { type: 'Mesh', mesh: '', zone: '', namespace: '', name: 'default' };

let count = 0;
function random(): string {
  return (++count).toString(16).padStart(32, '0');
}

function planeAt(place: Place, store = openTestStore(':memory:', random)): Plane {
  return { place, store, now: () => '2026-01-01T00:00:00Z' };
}

type ObservedSync = Pick<Sync, 'view' | 'ended' | 'peers' | 'stranger'>;

function seen(view: { online?: boolean; stopped?: { code: string; message: string } }, ended?: string, peer = GLOBAL_PEER): ObservedSync {
  return {
    view: () => ({ online: true, ...view }) as ReturnType<Sync['view']>,
    ended: () => ended,
    peers: () => [peer],
    stranger: () => undefined,
  };
}

test('each life has a greater incarnation and another instance; the signature stays', () => {
  const { store } = planeAt(EAST);
  const [first, second] = [beginEpoch(store, random), beginEpoch(store, random)];
  assert.equal(second.self.incarnation, first.self.incarnation + 1);
  assert.notEqual(second.self.instance, first.self.instance);
  assert.equal(first.self.store, store.head().store);
  const position = makePosition(first.sign, 'east', store.head(), { count: 0, digest: '0' });
  assert.ok(isOwn(second.sign, 'east', position));
  assert.ok(!isOwn(beginEpoch(planeAt(EAST).store, random).sign, 'east', position));
});

test('global makes the mesh default at its first start only', () => {
  const plane = planeAt(GLOBAL);
  fixPlace(plane);
  assert.ok(plane.store.get(MESH));
  deleteResource(plane, MESH);
  fixPlace(plane);
  assert.equal(plane.store.get(MESH), undefined);
});

test('a zone makes no mesh', () => {
  const plane = planeAt(EAST);
  fixPlace(plane);
  assert.equal(plane.store.get(MESH), undefined);
});

const MOVES: readonly [what: string, to: Place, names: RegExp][] = [
  ['another name', { ...EAST, zone: 'west' }, /MERIDIAN_ZONE_NAME/],
  ['another environment', { ...EAST, environment: 'universal', systemNamespace: '' }, /MERIDIAN_ENVIRONMENT/],
  ['another system namespace', { ...EAST, systemNamespace: 'other' }, /MERIDIAN_SYSTEM_NAMESPACE/],
  ['global', GLOBAL, /MERIDIAN_DATA_DIR/],
];
for (const [what, to, names] of MOVES) {
  test(`a zone can not become ${what}`, () => {
    const plane = planeAt(EAST);
    fixPlace(plane);
    fixPlace(plane);
    assert.throws(
      () => fixPlace({ ...plane, place: to }),
      (thrown) => thrown instanceof MeridianError && thrown.code === 'invalid' && thrown.problems.some(({ field }) => names.test(field)),
    );
  });
}

test('a zone is ready once it had everything from global, and stays it', () => {
  const plane = planeAt(EAST);
  const before = readiness(plane, seen({}), undefined);
  assert.equal(before.ready, false);
  assert.match(before.reasons.join(), /first scan/);
  const { store } = plane;
  const item = { key: MESH, wire: 'x', hash: 'ab', term: 1 };
  store.commit((tx) => {
    tx.mirror.put(GLOBAL_PEER, item);
    tx.mirror.setPosition(GLOBAL_PEER, { store: 'a', term: 1, revision: 1, digest: 'ab', count: 1, signature: '' });
    tx.setSetting(`peer:${GLOBAL_PEER}`, JSON.stringify({ store: 'a' }));
  });
  assert.deepEqual(readiness(plane, seen({}), undefined), { ready: true, reasons: [], warnings: [] });
  plane.store.commit((tx) => recover(tx, plane, { acceptStore: GLOBAL_PEER }));
  assert.ok(hasFirstScan(store), 'what the lost store had sent is in force');
  for (const [sync, away, says] of [
    [seen({ online: false }), undefined, /global is away/],
    [seen({}), 'refused', /NATS is away: refused/],
    [seen({ stopped: { code: 'diverged', message: 'm' } }), undefined, /global was restored/],
    [undefined, undefined, /no NATS/],
  ] as const) {
    const state = readiness(plane, sync, away);
    assert.deepEqual([state.ready, state.reasons], [true, []]);
    assert.match(state.warnings.join(), says);
  }
});

test('a zone that global does not speak with, that was superseded or restored is not ready, and says why', () => {
  const plane = planeAt(EAST);
  plane.store.commit((tx) => tx.mirror.put(GLOBAL_PEER, { key: MESH, wire: 'x', hash: 'ab', term: 1 }));
  for (const code of ['disabled', 'store-changed']) {
    assert.deepEqual(readiness(plane, seen({ stopped: { code, message: 'm' } }), undefined).reasons, [`${code}: m`]);
  }
  assert.deepEqual(readiness(plane, seen({}, 'a later one'), undefined).reasons, ['superseded: a later one']);
  plane.store.commit((tx) => markDiverged(tx, { diverged: 'why', term: 1 }));
  assert.match(readiness(plane, seen({}), undefined).reasons.join(), /diverged: .*meridianctl recover/);
  plane.store.commit((tx) => recover(tx, plane, {}));
  assert.equal(readiness(plane, seen({}), undefined).ready, true);
});

test('global is ready whatever becomes of a zone, and warns', () => {
  const plane = planeAt(GLOBAL);
  const state = readiness(plane, seen({ stopped: { code: 'store-changed', message: 'm' } }, undefined, 'east'), undefined);
  assert.deepEqual(state, { ready: true, reasons: [], warnings: ['zone east: store-changed: m'] });
  plane.store.commit((tx) => markDiverged(tx, { diverged: 'why', term: 1 }));
  assert.equal(readiness(plane, seen({}), undefined).ready, false);
});
