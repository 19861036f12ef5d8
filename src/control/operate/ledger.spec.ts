import { markDiverged } from '../peers/divergence.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Position } from '../../resource/store/store.ts';
import { ledger } from './ledger.ts';
import { heardPeer } from '../../../test/harness/peer-views.ts';
import type { PeerView } from '../peers/peer-view.ts';
import { writeReported } from '../peers/reported-refusals.ts';
import { EAST, NOW, WEST, carry, draftInApp, endOf, forAll, keyOf, newGlobal, newZone } from '../../../test/harness/control-planes.ts';
import { writeDrafts } from '../../../test/harness/write-drafts.ts';

/** Two policies: `early`, and `late`, which came after the peer's last word. */
function system() {
  const global = newGlobal(EAST);
  writeDrafts(global, [forAll('early')]);
  const before = endOf(global, 'east');
  writeDrafts(global, [forAll('late')]);
  const head = endOf(global, 'east');
  const states = (position: Position | undefined, refusals = '', more: Partial<PeerView> = {}) => {
    const view = heardPeer('east', head, { ack: { position, refusals }, ...more });
    const entries = ledger(global, [...global.store.each('MeshTimeout')], () => view);
    return entries.map(({ key, state, reason }) => `${key.name} ${state}${reason === undefined ? '' : `: ${reason}`}`);
  };
  return { global, before, head, states };
}

test('where a resource stands', async (t) => {
  const { before, head, states } = system();
  const table: [title: string, position: Position | undefined, out: string[]][] = [
    ['the peer has the head', head, ['early applied', 'late applied']],
    ['the peer is behind', before, ['early applied', 'late on its way']],
    ['the peer has nothing', undefined, ['early on its way', 'late on its way']],
    ['the peer has another term', { ...head, term: 9 }, ['early on its way', 'late on its way']],
    ['the peer has another store', { ...head, store: 'ff' }, ['early on its way', 'late on its way']],
    ['something else at the head', { ...head, digest: 'ff' }, ['early unverified', 'late unverified']],
    ['more than there is', { ...head, digest: 'ff', revision: 99 }, ['early unverified', 'late unverified']],
  ];
  for (const [title, position, out] of table) await t.test(title, () => assert.deepEqual(states(position), out));
});

test('the same content at another revision is applied where nothing of it changed since, and on its way where it did and is as before', () => {
  const { global, head, states } = system();
  const now = () => states(head, '', { head: endOf(global, 'east') });
  // What is not sent may change.
  const row = global.store.get(keyOf(forAll('late'), ''));
  assert.ok(row);
  global.store.commit((tx) => tx.put({ ...row.resource, status: { seen: true } }, row.audience, row.wire));
  assert.ok(endOf(global, 'east').revision > head.revision);
  assert.deepEqual(now(), ['early applied', 'late applied']);
  for (const idleTimeout of ['9s', undefined]) {
    const conf = idleTimeout === undefined ? {} : { idleTimeout };
    writeDrafts(global, [forAll('late', { spec: { to: [{ targetRef: { kind: 'Mesh' }, default: conf }] } })]);
  }
  assert.equal(endOf(global, 'east').digest, head.digest);
  assert.deepEqual(now(), ['early applied', 'late on its way']);
});

test('why it takes long', () => {
  const { states } = system();
  assert.deepEqual(states(undefined, '', { online: false })[0], 'early on its way: the connection is lost');
  assert.deepEqual(states(undefined, '', { stopped: { code: 'superseded', message: 'two of them' } })[0], 'early on its way: two of them');
});

test('what was refused is not applied, nor is anything while the list is not here', () => {
  const { global, head, states } = system();
  assert.deepEqual(states(head, 'd1'), ['early unverified', 'late unverified']);
  const refusal = { key: keyOf(forAll('late'), ''), hash: 'aa', reason: 'too new', since: '', inForce: 'none' as const };
  global.store.commit((tx) => writeReported(tx, 'east', { digest: 'd1', refusals: [refusal], whole: true }, NOW));
  assert.deepEqual(states(head, 'd1'), ['early applied', 'late refused: too new']);
  assert.deepEqual(states(head, 'd2'), ['early unverified', 'late refused: too new']);
});

test('of a list that is longer than what is recorded, what is behind is not known', () => {
  const { global, head, states } = system();
  const refusal = { key: keyOf(forAll('early'), ''), hash: 'aa', reason: 'too new', since: '', inForce: 'none' as const };
  global.store.commit((tx) => writeReported(tx, 'east', { digest: 'd1', refusals: [refusal], whole: false }, NOW));
  assert.deepEqual(states(head, 'd1'), ['early refused: too new', 'late unverified']);
  global.store.commit((tx) => writeReported(tx, 'east', { digest: 'd1', refusals: [refusal], whole: true }, NOW));
  assert.deepEqual(states(head, 'd1'), ['early refused: too new', 'late applied']);
});

test('a restored store knows nothing for sure', () => {
  const { global, head, states } = system();
  global.store.commit((tx) => markDiverged(tx, { diverged: 'restored', term: 1 }));
  assert.deepEqual(states(head), ['early unverified', 'late unverified']);
});

test('a MeshService that no import takes says so, where access is asked for by attributes', () => {
  const global = newGlobal(EAST, WEST);
  const service = (tier: string) => ({ ...draftInApp('MeshService', 'ledger', { ports: [{ port: 80 }] }), labels: { tier } });
  for (const [place, tier] of [
    [EAST, 'gold'],
    [WEST, 'tin'],
  ] as const) {
    const zone = newZone(place, global);
    writeDrafts(zone, [service(tier)]);
    assert.equal(carry(zone, global), 'applied');
  }
  const view = (peer: string): PeerView => heardPeer(peer, endOf(global, peer));
  const lines = () =>
    ledger(global, [...global.store.each('MeshService')], view).map(({ key, peer, state, reason }) => [key.zone, peer, state, reason]);
  const applied = [
    ['west', 'east', 'applied'],
    ['east', 'west', 'applied'],
  ];
  assert.deepEqual(
    lines(),
    applied.map((line) => [...line, undefined]),
  );
  const all = [{ workloadSelector: {} }];
  writeDrafts(global, [{ ...forAll('all'), type: 'PrivilegedAccessPolicy', spec: { action: 'allow', from: all, to: all } }]);
  const why = 'no call by attributes gets to it: its attributes differ from those of the first one, of zone east: ';
  assert.deepEqual(lines(), [
    ['west', 'east', 'applied', `${why}k8s:label:tier is "tin" here and "gold" there`],
    ['east', 'west', 'applied', undefined],
  ]);
});
