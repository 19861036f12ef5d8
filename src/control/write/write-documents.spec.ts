import { zoneState } from '../peers/zone-state.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  carry,
  called,
  EAST,
  forAll,
  held,
  keyOf,
  MESH,
  newGlobal,
  newPlane,
  newZone,
  PLAIN,
  service,
  timeout,
  WEST,
} from '../../../test/harness/control-planes.ts';
import type { Draft } from '../../resource/resource.ts';
import { retryAllRefused } from '../receive/retry-refused.ts';
import { atOnce, type Parts } from '../../resource/store/parts.ts';
import { admitInParts } from './write-documents.ts';
import { deleteZone, registerZone } from './zone-registration.ts';
import { deleteResource, writeDrafts } from '../../../test/harness/write-drafts.ts';

describe('a write', () => {
  it('writes all or nothing, the mesh before what is in it', () => {
    const global = newPlane({ zone: '', environment: 'universal', systemNamespace: '' });
    assert.throws(() => writeDrafts(global, [forAll('a'), forAll('b', { mesh: 'other' }), MESH]), { code: 'not_found' });
    assert.equal(global.store.head().revision, 0);
    const written = writeDrafts(global, [forAll('a'), MESH]);
    assert.deepEqual(
      written.map(({ key, outcome }) => `${key.type} ${outcome}`),
      ['MeshTimeout created', 'Mesh created'],
    );
    assert.deepEqual(writeDrafts(global, [forAll('a')])[0]?.outcome, 'unchanged');
  });

  it('tells what is wrong with every document, by its number', () => {
    const global = newGlobal();
    const bad = (name: string) => forAll(name, { spec: { to: 1 } });
    assert.throws(
      () => writeDrafts(global, [bad('a'), forAll('b'), bad('c')]),
      (thrown: { problems: { field: string }[] }) => {
        assert.deepEqual(
          thrown.problems.map(({ field }) => field),
          ['[0].spec.to', '[2].spec.to'],
        );
        return true;
      },
    );
  });

  it('refuses one resource twice, and the copy of another control plane', () => {
    const global = newGlobal(EAST, WEST);
    assert.throws(() => writeDrafts(global, [forAll('a'), forAll('a')]), { code: 'invalid' });
    const east = newZone(EAST, global);
    writeDrafts(east, [timeout('slow')]);
    carry(east, global);
    const west = newZone(WEST, global);
    const [name = ''] = called(west);
    assert.throws(() => writeDrafts(west, [timeout(name, { namespace: undefined })]), { code: 'read_only' });
    assert.throws(() => deleteResource(west, keyOf(timeout('slow'), 'east')), { code: 'read_only' });
  });

  it('keeps a mesh that is in use', () => {
    const global = newGlobal();
    writeDrafts(global, [forAll('a')]);
    assert.throws(() => deleteResource(global, keyOf(MESH, '')), { code: 'conflict' });
    deleteResource(global, keyOf(forAll('a'), ''));
    deleteResource(global, keyOf(MESH, ''));
    assert.throws(() => deleteResource(global, keyOf(MESH, '')), { code: 'not_found' });
  });

  it('leaves what a zone has of its own when its mesh goes, and lets it be deleted', () => {
    const global = newGlobal(EAST);
    const east = newZone(EAST, global);
    writeDrafts(east, [timeout('own')]);
    deleteResource(global, keyOf(MESH, ''));
    assert.equal(carry(global, east), 'applied');
    assert.deepEqual([held(east, 'Mesh'), held(east)], [[], ['own']]);
    assert.throws(() => writeDrafts(east, [timeout('more')]), { code: 'not_found' });
    assert.equal(carry(east, global), 'applied');
    assert.match(global.store.mirror.refusals('east')[0]?.reason ?? '', /mesh default does not exist/);
    writeDrafts(global, [MESH]);
    assert.deepEqual(held(global), ['own']);
  });
});

describe('references', () => {
  it('lead to their target under the name that it has with each reader, whatever comes first', () => {
    for (const order of [
      [timeout('slow'), service('backend')],
      [service('backend'), timeout('slow')],
    ]) {
      const global = newGlobal(EAST, WEST, PLAIN);
      const east = newZone(EAST, global);
      for (const draft of order) {
        writeDrafts(east, [draft]);
        carry(east, global, 'delta');
      }
      for (const reader of [global, newZone(WEST, global), newZone(PLAIN, global)]) {
        const [policy] = reader.store.each('MeshTimeout');
        const [item] = (policy?.resource.spec.to ?? []) as { targetRef: { name: string; namespace?: string } }[];
        const { name = '', namespace = '' } = item?.targetRef ?? {};
        assert.deepEqual(reader.store.byName('MeshService', 'default', namespace, name)?.resource.key, keyOf(service('backend'), 'east'));
      }
    }
  });

  it('to a copy that nobody knew are put right when it comes', () => {
    const global = newGlobal(EAST, WEST);
    const east = newZone(EAST, global);
    writeDrafts(east, [service('backend')]);
    carry(east, global);
    const [name = ''] = called(global, 'MeshService');
    const later = newGlobal(EAST, WEST);
    writeDrafts(later, [forAll('rule', { spec: { to: [{ targetRef: { kind: 'MeshService', name }, default: {} }] } })]);
    carry(east, later);
    const item = JSON.parse(later.store.get(keyOf(forAll('rule'), ''))?.wire ?? '{}') as {
      assigned: { references: { target: string[] }[] };
    };
    assert.deepEqual(item.assigned.references[0]?.target, ['MeshService', 'default', 'east', 'app', 'backend']);
  });
});

describe('deleteZone', () => {
  it('forgets the zone and its copies, and nothing else', () => {
    const global = newGlobal(EAST, WEST);
    writeDrafts(global, [{ type: 'Zone', mesh: '', name: 'east', namespace: undefined, labels: {}, spec: {} }, forAll('mine')]);
    for (const [place, name] of [
      [EAST, 'e'],
      [WEST, 'w'],
    ] as const) {
      const zone = newZone(place, global);
      writeDrafts(zone, [timeout(name)]);
      carry(zone, global);
    }
    global.store.commit((tx) => deleteZone(tx, global, 'east'));
    assert.deepEqual([held(global), held(global, 'Zone')], [['mine', 'w'], []]);
    assert.equal(global.store.mirror.position('east'), undefined);
    assert.throws(() => global.store.commit((tx) => deleteZone(tx, global, 'east')), { code: 'not_found' });
  });

  it('remembers that it was disabled, if it was', () => {
    for (const enabled of [true, false]) {
      const global = newGlobal(EAST);
      writeDrafts(global, [zone(enabled)]);
      global.store.commit((tx) => deleteZone(tx, global, 'east'));
      global.store.commit((tx) => registerZone(tx, global, 'east'));
      assert.equal(zoneState(global.store, 'east'), enabled ? 'enabled' : 'disabled');
    }
  });
});

describe('a disabled zone', () => {
  it('has nothing taken that was refused of it, whatever comes, until it is enabled', () => {
    const global = newGlobal(EAST);
    const east = newZone(EAST, global);
    writeDrafts(global, [{ ...MESH, name: 'late' }]);
    carry(global, east);
    writeDrafts(east, [timeout('a', { mesh: 'late' })]);
    const other = newGlobal(EAST);
    carry(east, other);
    writeDrafts(other, [zone(false)]);
    writeDrafts(other, [{ ...MESH, name: 'late' }]);
    retryAllRefused(other);
    assert.deepEqual(held(other), []);
    writeDrafts(other, [zone(true)]);
    assert.deepEqual(held(other), ['a']);
  });
});

function zone(enabled: boolean): Draft {
  return { type: 'Zone', mesh: '', name: 'east', namespace: undefined, labels: {}, spec: { enabled } };
}

it('many documents are admitted and written a document at a step', () => {
  const global = newGlobal();
  const documents = Array.from({ length: 300 }, (_, index) => ({ draft: forAll(`p${index}`), problems: [] }));
  const steps = (parts: Parts<unknown>): number => {
    let count = 1;
    while (!parts.next().done) count++;
    return count;
  };
  const [admitting, writing] = [admitInParts(global, documents), admitInParts(global, documents)];
  assert.ok(steps(admitting) > documents.length);
  const write = atOnce(writing);
  global.store.commit((tx) => assert.ok(steps(write(tx)) > documents.length));
  assert.equal(global.store.list({ type: forAll('p').type }, 0, 1).total, 300);
});
