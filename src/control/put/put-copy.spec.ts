import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Item } from '../../kds/item.ts';
import { MAX_MESSAGE_BYTES } from '../../kds/protocol.ts';
import { GLOBAL } from '../../resource/resource.ts';
import { putCopy } from './put-copy.ts';
import { EAST, forAll, itemOf, newGlobal, newZone, PLAIN, timeout, WEST } from '../../../test/harness/control-planes.ts';
import type { Plane } from '../plane/plane.ts';
import { writeDrafts } from '../../../test/harness/write-drafts.ts';

function put(plane: Plane, item: Item, origin = EAST): string | undefined {
  return plane.store.commit((tx) => putCopy(tx, plane, origin, item));
}

/** As global sends it. */
function assigned(item: Item, more: Partial<NonNullable<Item['assigned']>> = {}): Item {
  return { ...item, assigned: { name: `${item.key.name}-7777777777777777`, references: [], ...more } };
}

const SLOW = itemOf(timeout('slow'), 'east');

describe('putCopy at global', () => {
  const refused: [title: string, item: Item, reason: RegExp][] = [
    ['a kind from the future', { ...SLOW, key: { ...SLOW.key, type: 'MeshTeapot' } }, /does not know the kind MeshTeapot/],
    ['a name that is none', { ...SLOW, key: { ...SLOW.key, name: 'S L O W' } }, /^name: must be/],
    ['a namespace that is none', { ...SLOW, key: { ...SLOW.key, namespace: 'A_B' } }, /must be up to 63/],
    ['a label that is none', { ...SLOW, labels: { '-': 'x' } }, /is not a label key/],
    [
      'a body that breaks the rules',
      { ...SLOW, spec: { to: [{ targetRef: { kind: 'Teapot' }, default: {} }] } },
      /^spec\.to\[0\]\.targetRef\.kind: /,
    ],
    ['a mesh that is not there', { ...SLOW, key: { ...SLOW.key, mesh: 'other' } }, /mesh other does not exist here/],
    [
      'what only global may write',
      { key: { type: 'Mesh', mesh: '', zone: 'east', namespace: '', name: 'mine' }, labels: {}, spec: {} },
      /on global/,
    ],
    ['no namespace', { ...SLOW, key: { ...SLOW.key, namespace: '' } }, /its namespace \(none\) can't be in zone east/],
    ['deeper than anything', { ...SLOW, spec: deep(5_000) }, /deeper than 64 levels/],
  ];
  for (const [title, item, reason] of refused) {
    it(`refuses ${title}, and writes nothing`, () => {
      const global = newGlobal(EAST);
      const before = global.store.head();
      assert.match(put(global, item) ?? '', reason);
      assert.deepEqual(global.store.head(), before);
    });
  }

  it('believes no computed label', () => {
    const global = newGlobal(EAST);
    const lies = { 'kuma.io/zone': 'west', 'kuma.io/policy-role': 'system', 'kuma.io/origin': 'global', team: 'a' };
    assert.equal(put(global, { ...SLOW, labels: lies }), undefined);
    const labels = global.store.get(SLOW.key)?.resource.labels;
    assert.deepEqual(
      [labels?.['kuma.io/zone'], labels?.['kuma.io/policy-role'], labels?.['kuma.io/origin'], labels?.team],
      ['east', 'producer', 'zone', 'a'],
    );
  });

  it('gives the name, once and for good', () => {
    const global = newGlobal(EAST);
    put(global, SLOW);
    const name = global.store.get(SLOW.key)?.resource.name;
    global.store.commit((tx) => tx.delete(SLOW.key));
    put(global, SLOW);
    assert.match(name ?? '', /^slow-.{16}$/);
    assert.equal(global.store.get(SLOW.key)?.resource.name, name);
  });
});

describe('the size of an item', () => {
  const many = (count: number) => ({
    to: Array.from({ length: count }, () => ({ targetRef: { kind: 'MeshService', name: 'a' }, default: {} })),
  });

  it('is judged by zone and global alike, with the references as long as they may get', () => {
    const global = newGlobal(EAST);
    const east = newZone(EAST, global);
    for (const [count, taken] of [
      [700, true],
      [2_000, false],
    ] as const) {
      const draft = timeout('big', { spec: many(count) });
      assert.equal(put(global, itemOf(draft, 'east')) === undefined, taken, `${count} at global`);
      const apply = () => writeDrafts(east, [draft]);
      if (taken) apply();
      else assert.throws(apply, { code: 'too_large' });
    }
  });

  it('leaves what global passes on within one message', () => {
    const global = newGlobal(EAST);
    const service = 'x'.repeat(253);
    const to = Array.from({ length: 580 }, () => ({ targetRef: { kind: 'MeshService', name: service }, default: {} }));
    assert.equal(put(global, itemOf(timeout('slow', { spec: { to } }), 'east')), undefined);
    assert.ok(Buffer.byteLength(global.store.get(SLOW.key)?.wire ?? '') < MAX_MESSAGE_BYTES - 10_000);
  });
});

describe('putCopy at a zone', () => {
  const item = itemOf(forAll('rule'), '');
  const refused: [title: string, item: Item, reason: RegExp][] = [
    ['without a name', item, /without the name/],
    ['its own', assigned({ ...item, key: { ...item.key, zone: 'west' } }), /belongs to this zone/],
    ['with a role from the future', assigned(item, { role: 'emperor' }), /does not know the role emperor/],
  ];
  for (const [title, sent, reason] of refused) {
    it(`refuses an item ${title}`, () => {
      const west = newZone(WEST, newGlobal(WEST));
      assert.match(put(west, sent, GLOBAL) ?? '', reason);
      assert.equal(west.store.get(sent.key), undefined);
    });
  }

  it('names the holder of a name that is taken', () => {
    const west = newZone(WEST, newGlobal(WEST));
    put(west, assigned(item), GLOBAL);
    const other = assigned({ ...item, key: { ...item.key, name: 'other' } }, { name: 'rule-7777777777777777' });
    assert.match(put(west, other, GLOBAL) ?? '', /is taken by kri_mt_default___rule_/);
    assert.equal(west.store.get(other.key), undefined);
  });

  it('puts a reference as this zone calls its target', () => {
    const global = newGlobal(EAST, WEST, PLAIN);
    const target = { type: 'MeshService', mesh: 'default', zone: 'east', namespace: 'app', name: 'backend' };
    const sent = assigned(SLOW, {
      role: 'producer',
      references: [{ path: ['to', 0, 'targetRef'], target, name: 'backend-2222222222222222' }],
    });
    const expected: [place: typeof EAST, reference: object][] = [
      [WEST, { kind: 'MeshService', name: 'backend-2222222222222222', namespace: 'mesh-system' }],
      [PLAIN, { kind: 'MeshService', name: 'backend-2222222222222222' }],
    ];
    for (const [place, reference] of expected) {
      const zone = newZone(place, global);
      assert.equal(put(zone, sent, GLOBAL), undefined);
      const [first] = (zone.store.get(SLOW.key)?.resource.spec.to ?? []) as { targetRef: object }[];
      assert.deepEqual(first?.targetRef, reference);
    }
  });
});

function deep(levels: number): Item['spec'] {
  return JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as Item['spec'];
}
