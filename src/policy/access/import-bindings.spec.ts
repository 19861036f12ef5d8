import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Labels } from '../../resource/labels.ts';
import { resource } from '../../../test/harness/policies.ts';
import { bindImport } from './import-bindings.ts';

const service = (where: string, labels: Labels = {}, name = 'ledger', mesh = 'default') =>
  resource('MeshService', name, {}, where, labels, mesh);
const wanted = { mesh: 'default', namespace: 'stock', name: 'ledger' };
const zones = (bindings: readonly { readonly key: { readonly zone: string } }[]) => bindings.map(({ key }) => key.zone);

const GOLD = { tier: 'gold' };
const all = [
  service('east/stock', GOLD),
  service('north/stock', { tier: 'tin' }),
  service('south/stock', { ...GOLD, more: 'x' }),
  service('west/stock', GOLD),
  service('yard/stock'),
];

describe('the bindings of an import', () => {
  it('are those that agree with the first by KRI, whatever arrived first', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (arrived) => {
        const { bound, declined } = bindImport(wanted, arrived);
        assert.deepEqual(
          [zones(bound), zones(declined)],
          [
            ['east', 'west'],
            ['north', 'south', 'yard'],
          ],
        );
      }),
    );
    const { bound, declined } = bindImport(wanted, all.slice(1));
    assert.deepEqual([zones(bound), zones(declined)], [['north'], ['south', 'west', 'yard']]);
  });

  it('are of its name, namespace and mesh, and services', () => {
    const others = [
      service('a/pay', GOLD),
      service('a', GOLD),
      service('a/stock', GOLD, 'cart'),
      service('a/stock', GOLD, 'ledger', 'other'),
      resource('Workload', 'ledger', {}, 'a/stock', GOLD),
    ];
    assert.deepEqual(zones(bindImport(wanted, [...others, ...all]).bound), ['east', 'west']);
    assert.deepEqual(bindImport(wanted, others), { bound: [], declined: [] });
    assert.deepEqual(zones(bindImport({ ...wanted, namespace: '' }, others).bound), ['a']);
  });

  it('have the display name, not that of the copy', () => {
    const [copy] = all.map((one) => ({ ...one, name: 'ledger-0123456789abcdef', namespace: 'kuma-system' }));
    assert.ok(copy);
    assert.equal(bindImport(wanted, [copy]).bound[0]?.service.name, 'ledger');
  });
});
