import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateDraft } from '../documents/validate-draft.ts';
import type { JsonObject } from '../resource.ts';

/** Each access policy with the fields that are wrong in it. */
const TABLE: readonly [type: string, spec: JsonObject, fields: string[]][] = [
  ['AccessPolicy', {}, ['spec.action', 'spec.from', 'spec.to']],
  [
    'AccessPolicy',
    { action: 'allow', from: [{ workloadSelector: {} }], to: [{ workloadSelector: { matchLabels: { 'k8s:label:app': '' } } }] },
    [],
  ],
  ['AccessPolicy', { action: 'Allow', from: [{}], to: [] }, ['spec.action', 'spec.from[0].workloadSelector', 'spec.to']],
  [
    'PrivilegedAccessPolicy',
    { action: 'deny', from: [{ workloadSelector: { x: 1 } }], to: [{ workloadSelector: {}, workloadSets: [] }] },
    ['spec.from[0].workloadSelector.x', 'spec.to[0].workloadSets'],
  ],
  [
    'AccessPolicy',
    {
      action: 'deny',
      from: [
        {
          workloadSelector: {
            matchExpressions: [
              { key: 'a', operator: 'In' },
              { key: 'a', operator: 'NotIn', values: [] },
              { key: 'a', operator: 'Exists', values: ['b'] },
            ],
          },
        },
      ],
      to: [{ workloadSelector: { matchExpressions: [{ key: '', operator: 'in' }] } }],
    },
    [
      'spec.from[0].workloadSelector.matchExpressions[0].values',
      'spec.from[0].workloadSelector.matchExpressions[1].values',
      'spec.from[0].workloadSelector.matchExpressions[2].values',
      'spec.to[0].workloadSelector.matchExpressions[0].key',
      'spec.to[0].workloadSelector.matchExpressions[0].operator',
    ],
  ],
  ['LoadBalancingPolicy', { scheme: 'random' }, []],
  ['LoadBalancingPolicy', { scheme: 'static', sites: ['east', 'west'], to: [{ workloadSelector: {} }] }, []],
  ['LoadBalancingPolicy', { scheme: 'attributes', attributes: ['site:location'] }, []],
  ['LoadBalancingPolicy', { scheme: 'weighted', weights: { east: 3, west: 0 } }, []],
  ['LoadBalancingPolicy', { scheme: 'weighted', weights: { east: 0 } }, ['spec.weights']],
  ['LoadBalancingPolicy', { scheme: 'weighted', weights: {} }, ['spec.weights']],
  ['LoadBalancingPolicy', { scheme: 'weighted', weights: { east: -1, west: 1 } }, ['spec.weights.east']],
  ['LoadBalancingPolicy', { scheme: 'weighted', weights: { east: 1.5, west: 1 } }, ['spec.weights.east']],
  ['LoadBalancingPolicy', { scheme: 'weighted', weights: { east: 1_000_001 } }, ['spec.weights.east']],
  ['LoadBalancingPolicy', { scheme: 'weighted', weights: { East: 1, west: 1 } }, ['spec.weights.East']],
  ['LoadBalancingPolicy', { scheme: 'weighted' }, ['spec.weights']],
  ['LoadBalancingPolicy', { scheme: 'random', weights: { east: 1 } }, ['spec.weights']],
  ['LoadBalancingPolicy', { scheme: 'static', attributes: ['a'] }, ['spec.sites', 'spec.attributes']],
  ['LoadBalancingPolicy', { scheme: 'best', sites: ['A'] }, ['spec.scheme', 'spec.sites[0]']],
];

test('access policies', () => {
  for (const [type, spec, expected] of TABLE) {
    const draft = { type, mesh: 'default', name: 'a', namespace: undefined, labels: {}, spec };
    const found = validateDraft(draft).map(({ field }) => field);
    assert.deepEqual(found.sort(), [...expected].sort(), `${type} ${JSON.stringify(spec)}`);
  }
});
