import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Key } from '../resource/key.ts';
import { COMPUTED_LABELS } from '../resource/labels.ts';
import { GLOBAL, type Place } from '../resource/resource.ts';
import { relabel } from './relabel-copy.ts';

const EAST: Place = { zone: 'east', environment: 'kubernetes', systemNamespace: 'kuma-system' };
const WEST: Place = { zone: 'west', environment: 'universal', systemNamespace: '' };

const key: Key = { type: 'MeshTimeout', mesh: 'default', zone: 'east', namespace: 'backend-ns', name: 'slow' };
const computed = {
  'kuma.io/mesh': 'default',
  'kuma.io/origin': 'zone',
  'kuma.io/zone': 'east',
  'kuma.io/env': 'kubernetes',
  'kuma.io/display-name': 'slow',
  'k8s.kuma.io/namespace': 'backend-ns',
  'kuma.io/policy-role': 'producer',
};

describe('relabel', () => {
  it('says the same of a resource everywhere, but for whom it came from', () => {
    assert.deepEqual(relabel(key, {}, EAST, 'kubernetes', 'producer'), computed);
    assert.deepEqual(relabel(key, {}, GLOBAL, 'kubernetes', 'producer'), computed);
    assert.deepEqual(relabel(key, {}, WEST, 'kubernetes', 'producer'), { ...computed, 'kuma.io/origin': 'global' });
  });

  it('says nothing of zones, namespaces and environments where there are none', () => {
    const global = {
      'kuma.io/mesh': 'default',
      'kuma.io/origin': 'global',
      'kuma.io/display-name': 'slow',
      'kuma.io/policy-role': 'system',
    };
    const made: Key = { ...key, zone: '', namespace: '' };
    assert.deepEqual(relabel(made, {}, GLOBAL, 'universal', 'system'), global);
    assert.deepEqual(relabel(made, {}, EAST, undefined, 'system'), global);
    const mesh: Key = { type: 'Mesh', mesh: '', zone: '', namespace: '', name: 'default' };
    assert.deepEqual(relabel(mesh, {}, EAST, undefined, undefined), { 'kuma.io/origin': 'global', 'kuma.io/display-name': 'default' });
  });

  it('gives no role to what is no targetRef policy', () => {
    assert.equal(relabel({ ...key, type: 'AccessPolicy' }, {}, EAST, 'kubernetes', 'workload-owner')['kuma.io/policy-role'], undefined);
  });

  it('keeps the user’s labels, and believes none of the computed ones', () => {
    const label = fc.oneof(fc.constantFrom(...COMPUTED_LABELS), fc.constantFrom('app', 'kuma.io/effect', 'kuma.io/kds-sync', '__proto__'));
    const sent = fc.array(fc.tuple(label, fc.string())).map((entries) => Object.fromEntries(entries) as Record<string, string>);
    fc.assert(
      fc.property(sent, fc.constantFrom(GLOBAL, EAST, WEST), fc.constantFrom('', 'east', 'west'), (labels, place, zone) => {
        const own: Key = { ...key, zone, namespace: zone === 'east' ? 'backend-ns' : '' };
        const clean = relabel(own, {}, place, 'kubernetes', 'system');
        const user = Object.entries(labels).filter(([name]) => !COMPUTED_LABELS.includes(name));
        const expected = Object.fromEntries([...user, ...Object.entries(clean)]);
        assert.deepEqual(relabel(own, labels, place, 'kubernetes', 'system'), expected);
      }),
    );
  });
});
