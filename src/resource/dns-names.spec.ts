import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { identityProblems, isDnsLabel, isDnsName, isLabelKey } from './dns-names.ts';
import type { Draft } from './resource.ts';

const DRAFT: Draft = { type: 'MeshTimeout', mesh: 'default', name: 'a', namespace: undefined, labels: {}, spec: {} };

const TABLE: readonly [change: Partial<Draft>, fields: string[]][] = [
  [{}, []],
  [{ name: 'a.b-1.c' }, []],
  [{ name: 'a'.repeat(253) }, []],
  [{ name: 'a'.repeat(254) }, ['name']],
  [{ name: '' }, ['name']],
  [{ name: 'A' }, ['name']],
  [{ name: 'a..b' }, ['name']],
  [{ name: 'a_b' }, ['name']],
  [{ name: '-a' }, ['name']],
  [{ name: 'a\n' }, ['name']],
  [{ mesh: 'a.b' }, ['mesh']],
  [{ mesh: '' }, ['mesh']],
  [{ mesh: 'a'.repeat(64) }, ['mesh']],
  [{ type: 'Mesh', mesh: '', name: 'a.b' }, ['name']],
  [{ type: 'Zone', mesh: '', name: 'a'.repeat(64) }, ['name']],
  [{ type: 'Zone', mesh: 'm' }, ['mesh']],
  [{ type: 'Nothing' }, ['type']],
  [{ namespace: 'ns' }, []],
  [{ namespace: 'n.s' }, ['labels["k8s.kuma.io/namespace"]']],
  [{ namespace: '' }, ['labels["k8s.kuma.io/namespace"]']],
  [{ type: 'MeshGateway', namespace: 'ns' }, ['labels["k8s.kuma.io/namespace"]']],
  [{ labels: { app: '', 'a.b/c_d': 'x'.repeat(253) } }, []],
  [
    { labels: { 'a b': 'x', '/a': 'x', 'a/b/c': 'x', __proto__x: 'x' } },
    ['labels["a b"]', 'labels["/a"]', 'labels["a/b/c"]', 'labels.__proto__x'],
  ],
  [{ labels: { a: 'x\ny', b: 'x'.repeat(254) } }, ['labels.a', 'labels.b']],
  [{ labels: { 'kuma.io/effect': 'shadow', 'kuma.io/kds-sync': 'disabled' } }, []],
  [{ labels: { 'kuma.io/effect': 'Shadow', 'kuma.io/kds-sync': 'off' } }, ['labels["kuma.io/effect"]', 'labels["kuma.io/kds-sync"]']],
  [{ labels: { constructor: 'x' } }, []],
];

test('names and labels are what a key can be made of', () => {
  for (const [change, fields] of TABLE) {
    const found = identityProblems({ ...DRAFT, ...change }).map(({ field }) => field);
    assert.deepEqual(found, fields, JSON.stringify(change));
  }
});

test('no name, mesh or namespace holds what separates the parts of a KRI or of a subject', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.constantFrom('_', '*', '>', ' ', '/', '\n', '\u0000', 'Ä', 'A'), (a, b, separator) => {
      assert.equal(isDnsName(a + separator + b), false);
      assert.equal(isDnsLabel(`${a}.${b}`), false);
    }),
  );
});

test('a label key has at most one prefix', () => {
  assert.equal(isLabelKey(`${'a'.repeat(253)}/${'b'.repeat(63)}`), true);
  assert.equal(isLabelKey('b'.repeat(64)), false);
  assert.equal(isLabelKey(''), false);
});
