import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { addHash, EMPTY_DIGEST, formatDigest, hashItem } from '../../kds/digest.ts';
import { encodeItem } from '../../kds/item.ts';
import { MeridianError } from '../../errors.ts';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import { GLOBAL } from '../../resource/resource.ts';
import { applyTransfer } from './apply-transfer.ts';
import type { Plane } from '../plane/plane.ts';
import {
  carry,
  EAST,
  endOf,
  forAll,
  held,
  itemOf,
  keyOf,
  lineOf,
  MESH,
  newGlobal,
  newPlane,
  newZone,
  service,
  timeout,
  WEST,
} from '../../../test/harness/control-planes.ts';
import { deleteResource, writeDrafts } from '../../../test/harness/write-drafts.ts';

/** All that a plane would tell anybody, but times. */
function content({ store }: Plane): unknown {
  const rows = ['Mesh', 'MeshTimeout', 'MeshService'].flatMap((type) => [...store.each(type)]);
  return rows.map(({ resource, wire, audience }) => ({ ...resource, wire, audience, creationTime: '', modificationTime: '' }));
}

describe('applyTransfer', () => {
  const names = fc.constantFrom('a', 'b', 'c');
  const step = fc.oneof(
    fc.record({ do: fc.constant('timeout' as const), name: names, service: names }),
    fc.record({ do: fc.constant('service' as const), name: names }),
    fc.record({ do: fc.constant('delete' as const), name: names }),
    fc.record({ do: fc.constant('carry' as const) }),
  );

  it('leads to the same store by a scan or by deltas', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const [global, once] = [newGlobal(EAST, WEST), newGlobal(EAST, WEST)];
        const east = newZone(EAST, global);
        const west = newZone(WEST, global);
        carry(east, global);
        for (const action of steps) {
          if (action.do === 'timeout') writeDrafts(east, [timeout(action.name, {}, action.service)]);
          else if (action.do === 'service') writeDrafts(east, [service(action.name)]);
          else if (action.do === 'delete') remove(east, action.name);
          else assert.deepEqual([carry(east, global, 'delta'), carry(global, west, 'delta')], ['applied', 'applied']);
        }
        assert.deepEqual([carry(east, global, 'delta'), carry(global, west, 'delta')], ['applied', 'applied']);
        carry(east, once);
        const fresh = newPlane(WEST);
        carry(once, fresh);
        assert.deepEqual(content(once), content(global));
        assert.deepEqual(content(fresh), content(west));
      }),
      { numRuns: 25 },
    );
  });

  it('rewrites nothing when all is sent again', () => {
    const global = newGlobal(EAST);
    const east = newZone(EAST, global);
    writeDrafts(east, [timeout('a'), service('backend')]);
    carry(east, global);
    const before = global.store.head();
    for (const mode of ['scan', 'delta'] as const) assert.equal(carry(east, global, mode), 'applied');
    assert.deepEqual(global.store.head(), before);
  });

  it('writes nothing at all when it does not add up', () => {
    const global = newGlobal(EAST);
    const east = newZone(EAST, global);
    writeDrafts(east, [timeout('a')]);
    carry(east, global);
    writeDrafts(east, [timeout('b'), timeout('c')]);
    const lines = east.store.feed.page(GLOBAL_PEER, undefined, 1e9).items.map(lineOf);
    const end = endOf(east, GLOBAL_PEER);
    const before = [content(global), global.store.mirror.position('east')];
    for (const [mode, sent] of [
      ['scan', lines.slice(1)],
      ['scan', []],
      ['scan', [...lines, 'noise', lines[0]?.replace('slow', 'fast') ?? '', encodeItem(itemOf(timeout('d'), 'east'))]],
      ['delta', lines.slice(0, 1)],
    ] as const) {
      assert.equal(applyTransfer(global, { peer: 'east', origin: EAST, mode, lines: sent, end }), 'mismatch');
      assert.deepEqual([content(global), global.store.mirror.position('east')], before);
    }
  });

  it('files every key under the zone of the sender, whatever the line says', () => {
    const global = newGlobal(EAST, WEST);
    const wire = encodeItem(itemOf(timeout('a'), 'west'));
    assert.equal(send(global, wire), 'applied');
    assert.ok(global.store.get(keyOf(timeout('a'), 'east')));
    assert.equal(global.store.get(keyOf(timeout('a'), 'west')), undefined);
  });

  it('takes two lines that become one key for one item', () => {
    const global = newGlobal(EAST, WEST);
    const lines = ['east', 'west'].map((zone) => encodeItem(itemOf(timeout('a'), zone)));
    assert.equal(send(global, ...lines), 'mismatch');
    const [, last = ''] = lines;
    assert.equal(applyTransfer(global, { peer: 'east', origin: EAST, mode: 'scan', lines, end: endFor(last) }), 'applied');
    assert.deepEqual(
      [...global.store.mirror.each('east')].map((item) => item.wire),
      [last],
    );
  });
});

describe('absence', () => {
  it('takes away what the same store sent in the same term, and nothing else', () => {
    const global = newGlobal(WEST);
    writeDrafts(global, [forAll('a'), forAll('b')]);
    const west = newZone(WEST, global);
    deleteResource(global, keyOf(forAll('a'), ''));
    global.store.commit((tx) => tx.setSetting('term', '2'));
    assert.equal(carry(global, west), 'applied');
    assert.deepEqual(held(west), ['a', 'b']);
    deleteResource(global, keyOf(forAll('b'), ''));
    assert.equal(carry(global, west), 'applied');
    assert.deepEqual(held(west), ['a']);
  });

  it('of an older term is made good by a delete that is said', () => {
    const global = newGlobal(WEST);
    writeDrafts(global, [forAll('a')]);
    const west = newZone(WEST, global);
    const { store } = global;
    store.commit((tx) => tx.setSetting('term', '2'));
    deleteResource(global, keyOf(forAll('a'), ''));
    writeDrafts(global, [forAll('a')]);
    assert.equal(carry(global, west), 'applied');
    deleteResource(global, keyOf(forAll('a'), ''));
    assert.equal(carry(global, west, 'delta'), 'applied');
    assert.deepEqual(held(west), []);
  });
});

describe('refusals', () => {
  const bad = encodeItem(itemOf(timeout('a', { spec: { to: 'nonsense' } }), 'east'));
  const good = encodeItem(itemOf(timeout('a'), 'east'));

  it('hold up nothing else, and leave the last accepted version in force', () => {
    const global = newGlobal(EAST);
    send(global, good);
    assert.equal(send(global, bad, encodeItem(itemOf(timeout('b'), 'east'))), 'applied');
    assert.deepEqual(held(global), ['a', 'b']);
    const [refusal, ...more] = global.store.mirror.refusals('east');
    assert.deepEqual([refusal?.key.name, refusal?.inForce, more], ['a', 'previous', []]);
  });

  it('that can not even be read hold up nothing else, and one that may deny says so', () => {
    const global = newGlobal(EAST);
    const unreadable = (type: string) => JSON.stringify({ ...JSON.parse(good), key: [type, 'default', 'east', 'app', 'x'], status: [] });
    assert.equal(send(global, unreadable('MeshTimeout'), unreadable('MeshTrafficPermission'), good), 'applied');
    assert.deepEqual(held(global), ['a']);
    assert.deepEqual(
      global.store.mirror.refusals('east').map(({ reason, inForce }) => [reason, inForce]),
      [
        ['it can not be read', 'none'],
        ['it can not be read', 'deny'],
      ],
    );
  });

  it('go with the item, and so does the version in force', () => {
    const global = newGlobal(EAST);
    send(global, good);
    send(global, bad);
    send(global);
    assert.deepEqual([held(global), global.store.mirror.refusals('east')], [[], []]);
    assert.equal(global.store.mirror.each('east').next().done, true);
  });

  it('are judged again when their mesh comes, at global and in a zone', () => {
    const global = newGlobal(EAST, WEST);
    send(global, encodeItem(itemOf(timeout('a', { mesh: 'late' }), 'east')));
    assert.match(global.store.mirror.refusals('east')[0]?.reason ?? '', /mesh late does not exist/);
    writeDrafts(global, [{ ...MESH, name: 'late' }]);
    assert.deepEqual([held(global), global.store.mirror.refusals('east')], [['a'], []]);
    const west = newPlane(WEST);
    const feed = global.store.feed.page('west', undefined, 1e9).items;
    const [mesh, policy] = [feed.filter(({ key }) => key.type === 'Mesh'), feed.filter(({ key }) => key.type !== 'Mesh')].map((part) =>
      part.map(lineOf),
    );
    sendTo(west, policy ?? []);
    assert.deepEqual([held(west), west.store.mirror.refusals(GLOBAL_PEER).length], [[], 1]);
    sendTo(west, [...(policy ?? []), ...(mesh ?? [])]);
    assert.deepEqual([held(west), west.store.mirror.refusals(GLOBAL_PEER)], [['a'], []]);
  });

  it('for a name are judged again when the name becomes free, in this transfer or a later one', () => {
    const west = newZone(WEST, newGlobal(WEST));
    const copy = (name: string, called: string) =>
      encodeItem({ ...itemOf(forAll(name), ''), assigned: { name: called, role: 'system', references: [] } });
    const [mesh] = [...west.store.mirror.each(GLOBAL_PEER)].map(({ wire }) => wire);
    const [one, two] = ['one-2222222222222222', 'two-2222222222222222'];
    sendTo(west, [mesh ?? '', copy('b', one)]);
    sendTo(west, [mesh ?? '', copy('a', one), copy('b', two)]);
    assert.deepEqual(held(west), ['a', 'b']);
    sendTo(west, [mesh ?? '', copy('a', one), copy('b', one)]);
    assert.deepEqual(
      [west.store.get(keyOf(forAll('b'), ''))?.resource.name, west.store.mirror.refusals(GLOBAL_PEER)[0]?.inForce],
      [two, 'previous'],
    );
    sendTo(west, [mesh ?? '', copy('b', one)]);
    assert.deepEqual([west.store.get(keyOf(forAll('b'), ''))?.resource.name, west.store.mirror.refusals(GLOBAL_PEER)], [one, []]);
  });

  it('a fault of ours in one item is a refusal, a fault of the store is none', () => {
    const global = newGlobal(EAST);
    const failing = (thrown: Error): Plane => ({ ...global, now: () => fail(thrown) });
    assert.throws(() => send(failing(new MeridianError('unavailable', 'full')), good), { code: 'unavailable' });
    assert.deepEqual(held(global), []);
  });
});

function fail(thrown: Error): never {
  throw thrown;
}

function remove(plane: Plane, name: string): void {
  const key = keyOf(timeout(name), plane.place.zone);
  if (plane.store.get(key)) deleteResource(plane, key);
}

function endFor(...wires: readonly string[]) {
  const digest = formatDigest(wires.map(hashItem).reduce(addHash, EMPTY_DIGEST));
  return { store: 'ee', term: 1, revision: 1, digest, count: wires.length, signature: '' };
}

/** East sends all that it has to global. */
function send(global: Plane, ...lines: readonly string[]) {
  return applyTransfer(global, { peer: 'east', origin: EAST, mode: 'scan', lines, end: endFor(...lines) });
}

function sendTo(zone: Plane, lines: readonly string[]) {
  assert.equal(applyTransfer(zone, { peer: GLOBAL_PEER, origin: GLOBAL, mode: 'scan', lines, end: endFor(...lines) }), 'applied');
}
