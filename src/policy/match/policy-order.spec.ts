import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { keyId } from '../../resource/key.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import { resource } from '../../../test/harness/policies.ts';
import { comparePolicies, compareToItems } from './policy-order.ts';
import { readPolicies } from './read-policies.ts';
import type { Policy } from './policy.ts';
import { toItems } from './to-items.ts';

const kinds: readonly JsonObject[] = [
  { kind: 'Mesh' },
  { kind: 'Dataplane' },
  { kind: 'Dataplane', labels: { app: 'a' }, sectionName: 'main' },
  { kind: 'Dataplane', name: 'a' },
  { kind: 'Dataplane', name: 'a', sectionName: 'main' },
  { kind: 'MeshSubset', tags: { a: 'b' } },
  { kind: 'MeshGateway', name: 'a' },
  { kind: 'MeshService', name: 'a' },
  { kind: 'MeshServiceSubset', name: 'a', tags: { a: 'b' } },
  { kind: 'MeshHTTPRoute', name: 'a' },
];

function timeout(name: string, targetRef: JsonObject, from = '', to: readonly JsonObject[] = []): Resource {
  return resource('MeshTimeout', name, { targetRef, ...(to.length > 0 ? { to } : {}) }, from);
}

const names = (policies: readonly Policy[]) => policies.map((policy) => policy.resource.name);

describe('the order of policies', () => {
  it('goes by the kind of the targetRef before all else', () => {
    // Each is named so that the name alone would put it first, and is from where it would be put first.
    const given = kinds.map((targetRef, index) => timeout(String.fromCharCode(97 + index), targetRef, index % 2 === 0 ? 'east' : ''));
    assert.deepEqual(
      names(readPolicies([...given].reverse())),
      given.map(({ name }) => name),
    );
  });

  it('takes a bare Dataplane as equal to one with labels, with a section or without', () => {
    const labels = { app: 'a' };
    const [low, high] = [
      [{ kind: 'Dataplane' }, { kind: 'Dataplane', labels }],
      [
        { kind: 'Dataplane', sectionName: 'main' },
        { kind: 'Dataplane', labels, sectionName: 'main' },
      ],
    ] as const;
    for (const [one, other] of [low, [...low].reverse(), high, [...high].reverse()]) {
      assert.ok(one && other);
      assert.deepEqual(names(readPolicies([timeout('a', one), timeout('b', other)])), ['b', 'a']);
    }
    for (const weak of low) {
      for (const strong of [...high, { kind: 'Dataplane', name: 'a' }]) {
        assert.deepEqual(names(readPolicies([timeout('a', weak), timeout('b', strong)])), ['a', 'b']);
      }
    }
    for (const weak of high) {
      assert.deepEqual(names(readPolicies([timeout('a', weak), timeout('b', { kind: 'Dataplane', name: 'a' })])), ['a', 'b']);
    }
  });

  const mesh = { kind: 'Mesh' };
  const own = { targetRef: { kind: 'MeshService', name: 'x' } };
  const other = { targetRef: { kind: 'MeshService', name: 'x', namespace: 'other' } };

  it('then by origin, role, display name and key', () => {
    const order = [
      timeout('b', mesh),
      timeout('a', mesh),
      timeout('e', mesh, 'east'),
      timeout('d', mesh, 'east'),
      timeout('d', mesh, 'west'),
      timeout('c', mesh, 'east/ns', [own]),
      timeout('d', mesh, 'east/ns', [other]),
      timeout('e', mesh, 'east/ns'),
    ];
    const sorted = readPolicies([...order].reverse()).map(({ resource: { key } }) => keyId(key));
    assert.deepEqual(
      sorted,
      order.map(({ key }) => keyId(key)),
    );
  });

  it('puts the kind of a `to` item before the display name, and lists in their own order last', () => {
    const item = (kind: string, name = 'x') => ({ targetRef: kind === 'Mesh' ? { kind } : { kind, name }, default: {} });
    const a = timeout('a', mesh, '', [item('Mesh'), item('MeshHTTPRoute'), item('MeshService', 'y'), item('MeshService')]);
    const b = timeout('b', mesh, '', [
      item('MeshExternalService'),
      item('MeshMultiZoneService'),
      item('MeshServiceSubset'),
      item('MeshService'),
    ]);
    const items = toItems(readPolicies([a, b])).map(({ policy, index, targetRef }) => `${policy.resource.name}${index} ${targetRef.kind}`);
    assert.deepEqual(items, [
      'a0 Mesh',
      'b3 MeshService',
      'a2 MeshService',
      'a3 MeshService',
      'b0 MeshExternalService',
      'b1 MeshMultiZoneService',
      'b2 MeshServiceSubset',
      'a1 MeshHTTPRoute',
    ]);
  });

  it('puts an item with a section after one without, before the display name', () => {
    const service = { kind: 'MeshService', name: 'x' };
    const section = { ...service, sectionName: 'main' };
    const a = timeout('a', mesh, '', [{ targetRef: section }, { targetRef: service }]);
    const b = timeout('b', mesh, '', [{ targetRef: service }, { targetRef: section }, { targetRef: { kind: 'MeshHTTPRoute', name: 'x' } }]);
    const items = toItems(readPolicies([a, b])).map(({ policy, index }) => `${policy.resource.name}${index}`);
    assert.deepEqual(items, ['b0', 'a1', 'b1', 'a0', 'b2']);
  });

  const policy = fc
    .record({
      name: fc.constantFrom('a', 'b', 'c'),
      targetRef: fc.constantFrom(...kinds, { kind: 'Dataplane', sectionName: 'main' }, { kind: 'Dataplane', labels: { app: 'a' } }),
      from: fc.constantFrom('', 'east', 'west', 'east/ns', 'east/os', 'west/ns'),
      to: fc.constantFrom([], [own], [other]),
    })
    .map(({ name, targetRef, from, to }) => timeout(name, targetRef, from, to));

  it('is total, antisymmetric and transitive', () => {
    fc.assert(
      fc.property(fc.array(policy, { minLength: 3, maxLength: 3 }), (given) => {
        const [a, b, c] = readPolicies(given);
        assert.ok(a && b && c);
        for (const [x, y] of [
          [a, b],
          [b, c],
          [a, c],
        ] as const) {
          const same = keyId(x.resource.key) === keyId(y.resource.key);
          const sign = Math.sign(comparePolicies(x, y));
          // One key is one policy: two of a key in the sample may differ in their targets, and are not compared.
          if (!same) assert.notEqual(sign, 0);
          assert.equal(sign + Math.sign(comparePolicies(y, x)), 0);
          assert.ok(sign <= 0, 'sorted');
        }
      }),
    );
  });

  it('does not depend on the order of arrival', () => {
    const many = fc.uniqueArray(policy, { selector: ({ key }) => keyId(key), minLength: 2 });
    fc.assert(
      fc.property(
        many.chain((given) => fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length }))),
        ([given, shuffled]) => {
          assert.deepEqual(readPolicies(shuffled), readPolicies(given));
          assert.deepEqual(toItems(readPolicies(shuffled)), toItems(readPolicies(given)));
          const items = toItems(readPolicies(given));
          for (const [index, item] of items.entries())
            for (const later of items.slice(index + 1)) assert.ok(compareToItems(item, later) < 0);
        },
      ),
    );
  });
});
