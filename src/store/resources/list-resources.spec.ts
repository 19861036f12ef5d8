import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { NOBODY } from '../../resource/audience.ts';
import { compareText } from '../../resource/key.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Filter } from '../../resource/store/store.ts';
import { openStore } from '../open-store.ts';
import { key, resource } from '../../../test/harness/sample-store.ts';
import { memory, OPTIONS } from '../../../test/harness/test-store.ts';

function restName({ name, namespace }: Resource): string {
  return namespace === '' ? name : `${name}.${namespace}`;
}

function matches(one: Resource, { type, mesh, nameContains = '', labels = {} }: Filter): boolean {
  return (
    one.key.type === type &&
    (mesh === undefined || one.key.mesh === mesh) &&
    restName(one).includes(nameContains) &&
    Object.entries(labels).every(([name, value]) => one.labels[name] === value)
  );
}

const labels = fc.dictionary(fc.constantFrom('kuma.io/zone', 'a"b', "it's", 'n'), fc.constantFrom('east', '1', '', '"'), {
  noNullPrototype: true,
});
const someResource = fc
  .record({
    type: fc.constantFrom('MeshTimeout', 'MeshRetry'),
    mesh: fc.constantFrom('default', 'other'),
    name: fc.constantFrom('a', 'ab', 'b', 'b-c', 'c.d'),
    namespace: fc.constantFrom('', 'ab', 'ns'),
    labels,
  })
  .map(({ type, mesh, name, namespace, labels }) => resource(key(name, '', { type, mesh, namespace }), { namespace, labels }));
const someFilter: fc.Arbitrary<Filter> = fc.record(
  {
    type: fc.constantFrom('MeshTimeout', 'MeshRetry'),
    mesh: fc.constantFrom('default', 'other', 'none'),
    nameContains: fc.constantFrom('', 'a', 'b', 'b.a', '.', 'c.d.n', '%', '_'),
    labels: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: labels }),
  },
  { requiredKeys: ['type'] },
);
const unique = fc.uniqueArray(someResource, { minLength: 10, maxLength: 30, selector: (one) => JSON.stringify([one.key, one.namespace]) });

test('a list holds what every part of the filter leaves, in the order of mesh, name and namespace', () => {
  fc.assert(
    fc.property(unique, someFilter, fc.nat(3), fc.nat(10), (all, filter, offset, size) => {
      const store = openStore(':memory:', OPTIONS);
      store.commit((tx) => all.forEach((one) => tx.put(one, NOBODY, '')));
      const expected = all
        .filter((one) => matches(one, filter))
        .sort((a, b) => compareText(a.key.mesh, b.key.mesh) || compareText(a.name, b.name) || compareText(a.namespace, b.namespace));
      const page = store.list(filter, offset, size);
      store.close();
      assert.deepEqual(page, { items: expected.slice(offset, offset + size), total: expected.length });
    }),
  );
});

test('a name is found as it stands in the REST API: with its namespace', (t) => {
  const store = memory(t);
  const one = resource(key('web', '', { namespace: 'shop' }), { namespace: 'shop' });
  store.commit((tx) => tx.put(one, NOBODY, ''));
  const total = (nameContains: string) => store.list({ type: 'MeshTimeout', nameContains }, 0, 1).total;
  assert.deepEqual(['web.shop', 'b.s', 'web', 'shop', 'shop.web', 'WEB'].map(total), [1, 1, 1, 1, 0, 0]);
});
