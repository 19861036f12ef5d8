import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { addHash, EMPTY_DIGEST, formatDigest, hashItem } from '../../kds/digest.ts';
import { encodeItem } from '../../kds/item.ts';
import type { Draft } from '../../resource/resource.ts';
import type { Holding } from '../../resource/store/store.ts';
import { MOST_REFUSED, type Plane } from '../plane/plane.ts';
import { readMeshView } from '../mesh/mesh-view.ts';
import { OVER_QUOTA } from './zone-quota.ts';
import { applyTransfer } from './apply-transfer.ts';
import { retryAllRefused } from './retry-refused.ts';
import { recover } from '../operate/recover.ts';
import { writePeer } from '../peers/known-peers.ts';
import { carry, EAST, held, itemOf, keyOf, newGlobal, newZone, timeout, WEST } from '../../../test/harness/control-planes.ts';
import { restoreTestStore, type TestStore } from '../../../test/harness/test-store.ts';
import { deleteResource, writeDrafts } from '../../../test/harness/write-drafts.ts';

const QUOTA = { resources: 3, bytes: 2_000 };
/** The labels that global adds to what a zone sent. */
const LABELS = 300;

function limited(quota = QUOTA): Plane {
  return { ...newGlobal(EAST, WEST), quota };
}

/** A policy that takes more or less room. */
function sized(name: string, size: number): Draft {
  return timeout(name, { spec: { to: [{ targetRef: { kind: 'Mesh' }, default: { fill: 'x'.repeat(size) } }] } });
}

/** What is counted, the slow way. */
function count({ store }: Plane): Pick<Holding, 'resources' | 'bytes' | 'mirrored' | 'mirroredBytes'> {
  const rows = [...store.each('MeshTimeout')].map(({ resource }) => resource).filter(({ key }) => key.zone === 'east');
  const bytes = rows.map(({ labels, spec, status }) => [labels, spec, status].map((part) => (part ? JSON.stringify(part).length : 0)));
  const mirror = [...store.mirror.each('east')];
  return {
    resources: rows.length,
    bytes: bytes.flat().reduce((sum, one) => sum + one, 0),
    mirrored: mirror.length,
    mirroredBytes: mirror.reduce((sum, { wire }) => sum + wire.length, 0),
  };
}

function requireQuota(global: Plane, east: Plane): void {
  const { keys: _, names: __, ...held } = global.store.holding('east');
  assert.deepEqual(held, count(global));
  assert.ok(held.resources <= QUOTA.resources && held.bytes <= QUOTA.bytes + LABELS, JSON.stringify(held));
  const refused = new Map(global.store.mirror.refusals('east').map(({ key, reason }) => [key.name, reason]));
  for (const { resource } of east.store.each('MeshTimeout')) {
    const { key, spec } = resource;
    const reason = refused.get(key.name);
    if (reason === undefined) assert.deepEqual(global.store.get(key)?.resource.spec, spec);
    else requireNoRoom(global, key.name, reason);
  }
}

/** What is refused is refused for want of room, and there is none. */
function requireNoRoom(global: Plane, name: string, reason: string): void {
  assert.match(reason, new RegExp(`^${OVER_QUOTA}: zone east`));
  const { resources, bytes } = global.store.holding('east');
  const wire = global.store.mirror.get('east', keyOf(timeout(name), 'east'))?.wire.length ?? 0;
  assert.ok(resources >= QUOTA.resources || bytes + wire > QUOTA.bytes, `${name} had room: ${resources}, ${bytes} + ${wire}`);
}

describe('the quota of a zone at global', () => {
  const names = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const step = fc.oneof(
    fc.record({ do: fc.constant('put' as const), name: names, size: fc.integer({ min: 1, max: 400 }) }),
    fc.record({ do: fc.constant('delete' as const), name: names }),
    fc.record({ do: fc.constantFrom('delta' as const, 'scan' as const, 'restart' as const) }),
  );

  it('bounds what is held, refuses the rest one by one, and is used up whenever there is room', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let global = limited();
        const east = newZone(EAST, global);
        carry(east, global);
        for (const action of steps) {
          if (action.do === 'put') writeDrafts(east, [sized(action.name, action.size)]);
          else if (action.do === 'delete') remove(east, action.name);
          else if (action.do === 'restart') global = restarted(global);
          else {
            assert.equal(carry(east, global, action.do), 'applied');
            requireQuota(global, east);
          }
        }
        for (const name of ['a', 'b', 'c', 'd', 'e']) remove(east, name);
        writeDrafts(east, [sized('a', 9)]);
        assert.equal(carry(east, global, 'delta'), 'applied');
        assert.deepEqual([global.store.mirror.refusals('east'), global.store.holding('east').resources], [[], 1]);
      }),
      { numRuns: 40 },
    );
  });

  it('leaves others their room', () => {
    const global = limited();
    const [east, west] = [newZone(EAST, global), newZone(WEST, global)];
    writeDrafts(
      east,
      ['a', 'b', 'c', 'd'].map((name) => sized(name, 9)),
    );
    writeDrafts(west, [sized('a', 9)]);
    assert.deepEqual([carry(east, global), carry(west, global)], ['applied', 'applied']);
    assert.deepEqual(global.store.mirror.refusals('west'), []);
    assert.deepEqual(
      global.store.mirror.refusals('east').map(({ key }) => key.name),
      ['d'],
    );
  });

  it('is a larger one after a restart with another setting', () => {
    const global = limited();
    const east = newZone(EAST, global);
    writeDrafts(
      east,
      ['a', 'b', 'c', 'd'].map((name) => sized(name, 9)),
    );
    carry(east, global);
    const more = { ...restarted(global), quota: { ...QUOTA, resources: 4 } };
    retryAllRefused(more);
    assert.equal(more.store.holding('east').resources, 4);
  });

  it('keeps the version in force of what grew too much, and takes one that is smaller', () => {
    const global = limited({ resources: 3, bytes: 600 });
    const east = newZone(EAST, global);
    for (const size of [200, 500, 100]) {
      writeDrafts(east, [sized('a', size)]);
      assert.equal(carry(east, global, 'delta'), 'applied');
      const [refusal] = global.store.mirror.refusals('east');
      assert.equal(refusal?.inForce, size === 500 ? 'previous' : undefined);
      const shown = JSON.stringify(global.store.get(keyOf(timeout('a'), 'east'))?.resource.spec).length;
      assert.ok(Math.abs(shown - (size === 500 ? 200 : size)) < 100);
    }
  });

  it('takes nothing of a transfer that is far beyond it, and what fits again later', () => {
    const global = limited();
    const east = newZone(EAST, global);
    writeDrafts(
      east,
      'abcdefg'.split('').map((name) => sized(name, 9)),
    );
    assert.throws(() => carry(east, global), { code: 'unavailable', message: /^over_quota: zone east/ });
    assert.equal(global.store.holding('east').mirrored, 0);
    remove(east, 'g');
    assert.equal(carry(east, global), 'applied');
    assert.equal(global.store.mirror.refusals('east').length, 3);
    assert.equal(carry(east, global), 'applied');
  });

  it('has no room for a store that replaces a lost one, until that is given up; but hears what it has', () => {
    const global = limited();
    const names = (zone: Plane, text: string) => {
      writeDrafts(
        zone,
        text.split('').map((name) => sized(name, 9)),
      );
      return carry(zone, global);
    };
    assert.equal(names(newZone(EAST, global), 'abcdef'), 'applied');
    global.store.commit((tx) => recover(tx, global, { acceptStore: 'east' }));
    const reborn = newZone(EAST, global);
    global.store.commit((tx) => writePeer(tx, 'east', { store: '01', about: { ...EAST, version: '1' } }));
    assert.equal(names(reborn, 'uvwxyz'), 'applied');
    assert.deepEqual(held(global), ['a', 'b', 'c']);
    global.store.commit((tx) => recover(tx, global, { dropAbsent: 'east' }));
    assert.deepEqual(held(global), ['u', 'v', 'w']);
  });

  it('bounds the names and keys that come and go', () => {
    const global = limited();
    let sent = 0;
    for (let n = 0; n < 60; n++) {
      const line = encodeItem(itemOf(timeout('a', {}, `backend-${n}`), 'east'));
      const end = {
        store: 'ee',
        term: 1,
        revision: ++sent,
        digest: formatDigest(addHash(EMPTY_DIGEST, hashItem(line))),
        count: 1,
        signature: '',
      };
      assert.equal(applyTransfer(global, { peer: 'east', origin: EAST, mode: 'scan', lines: [line], end }), 'applied');
      assert.deepEqual(global.store.mirror.refusals('east'), []);
    }
    const { keys, names } = global.store.holding('east');
    assert.ok(keys < 30 && names < 30, `${keys} keys, ${names} names`);
    assert.deepEqual(restarted(global).store.holding('east'), global.store.holding('east'));
  });

  it('refuses what needs more names than a zone may have', () => {
    const global = limited({ resources: 3, bytes: 100_000 });
    const to = Array.from({ length: 40 }, (_, n) => ({ targetRef: { kind: 'MeshService', name: `s${n}` }, default: {} }));
    const east = newZone(EAST, global);
    writeDrafts(east, [timeout('many', { spec: { to } }), sized('few', 9)]);
    assert.equal(carry(east, global), 'applied');
    assert.match(global.store.mirror.refusals('east')[0]?.reason ?? '', /^over_quota: zone east has \d+ names and this needs 41/);
    assert.equal(global.store.holding('east').resources, 1);
  });
});

describe('what global keeps of a zone that it refuses', () => {
  const { items } = MOST_REFUSED;
  /** What an old zone may send: denies that global can't read. `from`: so many others come first. */
  const bad = (count: number, from = 0) =>
    Array.from({ length: count }, (_, n) =>
      encodeItem({
        key: { type: 'MeshTrafficPermission', mesh: 'default', zone: 'east', namespace: 'app', name: `bad-${from + n}` },
        labels: {},
        spec: { nonsense: n },
      }),
    );
  const good = (name: string) => encodeItem(itemOf(timeout(name), 'east'));

  function receiving() {
    const global = { ...newGlobal(EAST), quota: { resources: 100_000, bytes: 128_000_000 } };
    let revision = 0;
    const scan = (lines: readonly string[]) => {
      const digest = formatDigest(lines.reduce((sum, line) => addHash(sum, hashItem(line)), EMPTY_DIGEST));
      const end = { store: 'ee', term: 1, revision: ++revision, digest, count: lines.length, signature: '' };
      return applyTransfer(global, { peer: 'east', origin: EAST, mode: 'scan', lines, end });
    };
    return { global, scan };
  }

  it('is so many, and with more the zone keeps what it has there, until it sends less', () => {
    const { global, scan } = receiving();
    assert.equal(scan([good('a'), ...bad(items)]), 'applied');
    const before = [...global.store.mirror.each('east')];
    const view = readMeshView(global, 'default');
    assert.equal(view.permissions.length, items, 'each that may hold a deny denies');
    for (const lines of [
      [good('a'), good('b'), ...bad(items + 1)],
      [good('b'), ...bad(20 * items)],
    ]) {
      const counted = counting(global);
      assert.throws(() => applyTransfer(counted.plane, transferOf(lines)), {
        code: 'unavailable',
        message: /^over_quota: global refuses more of what zone east sends than it keeps .*; the first: kri_mtp_default_east_app_bad-0_: /,
      });
      assert.ok(counted.puts <= 2 * items + 3, `${counted.puts} items were judged`);
    }
    assert.deepEqual([...global.store.mirror.each('east')], before);
    assert.deepEqual(held(global), ['a']);
    assert.equal(readMeshView(global, 'default').permissions.length, items);
    assert.equal(scan([good('b'), ...bad(items, 1)]), 'applied');
    assert.deepEqual(held(global), ['b']);
  });

  it('may be more where it was already, as after an update, but does not grow', () => {
    const { global, scan } = receiving();
    assert.equal(applyTransfer({ ...global, quota: undefined }, transferOf(bad(items + 2))), 'applied');
    assert.throws(() => scan(bad(items + 3)), { code: 'unavailable' });
    assert.equal(scan([good('a'), ...bad(items + 1)]), 'applied');
    assert.equal(global.store.mirror.refusalSum('east').count, items + 1);
  });
});

function transferOf(lines: readonly string[]): Parameters<typeof applyTransfer>[1] {
  const digest = formatDigest(lines.reduce((sum, line) => addHash(sum, hashItem(line)), EMPTY_DIGEST));
  const end = { store: 'ee', term: 1, revision: 99, digest, count: lines.length, signature: '' };
  return { peer: 'east', origin: EAST, mode: 'scan', lines, end };
}

/** Counts what is written into the mirror. */
function counting(plane: Plane): { readonly plane: Plane; puts: number } {
  const commit: Plane['store']['commit'] = (body) =>
    plane.store.commit((tx) => {
      const put: typeof tx.mirror.put = (peer, item) => {
        counted.puts += 1;
        tx.mirror.put(peer, item);
      };
      return body(Object.assign(Object.create(tx) as typeof tx, { mirror: { ...tx.mirror, put } }));
    });
  const counted = { plane: { ...plane, store: { ...plane.store, commit } }, puts: 0 };
  return counted;
}

function restarted(global: Plane): Plane {
  const store = restoreTestStore((global.store as TestStore).snapshot(), () => 'ee');
  const plane = { ...global, store };
  retryAllRefused(plane);
  return plane;
}

function remove(plane: Plane, name: string): void {
  const key = keyOf(timeout(name), plane.place.zone);
  if (plane.store.get(key)) deleteResource(plane, key);
}
