import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../resource/resource.ts';
import { attributeProblems } from './key-problems.ts';

const zone = (...keys: string[]): JsonObject => ({ attributes: Object.fromEntries(keys.map((key) => [key, 'x'])) });
const selector = (...keys: string[]): JsonObject => ({
  workloadSelector: { matchLabels: Object.fromEntries(keys.map((key) => [key, 'x'])) },
});
const asking = (key: string): JsonObject => ({ workloadSelector: { matchExpressions: [{ key, operator: 'Exists' }] } });
const policy = (from: JsonObject, to: JsonObject = selector()): JsonObject => ({ action: 'deny', from: [from], to: [to] });
const labels = (side: string, key: string) =>
  `spec.${side}[0].workloadSelector.matchLabels${/^[a-z]+$/.test(key) ? `.${key}` : `["${key}"]`}`;

const TABLE: readonly (readonly [type: string, spec: JsonObject, ...fields: string[]])[] = [
  ['Zone', {}],
  ['Zone', zone('geo', 'site:tier', 'cl:site:region', 'cl:fabric', 'name', 'peer.clusterlink.net/labels.rack')],
  ['Zone', zone('geo', 'site:geo'), 'attributes["site:geo"]'],
  [
    'Zone',
    zone('cl:site:geo', 'peer.clusterlink.net/labels.geo', 'geo'),
    'attributes["peer.clusterlink.net/labels.geo"]',
    'attributes.geo',
  ],
  ['Zone', zone('name', 'cl:site:name'), 'attributes["cl:site:name"]'],
  ['Zone', zone('site:name'), 'attributes["site:name"]'],
  ['Zone', zone('peer.clusterlink.net/name'), 'attributes["peer.clusterlink.net/name"]'],
  ['Zone', zone('site:'), 'attributes["site:"]'],
  ['Zone', zone('peer.clusterlink.net/labels.'), 'attributes["peer.clusterlink.net/labels."]'],
  ['Zone', zone('peer.clusterlink.net/labels2'), 'attributes["peer.clusterlink.net/labels2"]'],
  ['Zone', zone(' geo'), 'attributes[" geo"]'],
  ['Zone', zone('site geo'), 'attributes["site geo"]'],
  ['Zone', zone('k8s:ns'), 'attributes["k8s:ns"]'],
  ['Zone', zone('service:name'), 'attributes["service:name"]'],
  ['Zone', zone('client.clusterlink.net/namespace'), 'attributes["client.clusterlink.net/namespace"]'],

  ['AccessPolicy', policy(selector('k8s:ns', 'site:name'), selector('k8s:ns', 'service:name'))],
  ['AccessPolicy', policy(selector('k8s:ns', 'client.clusterlink.net/namespace')), labels('from', 'client.clusterlink.net/namespace')],
  ['AccessPolicy', policy(selector(), selector('k8s:label:a', 'cl:service:a')), labels('to', 'cl:service:a')],
  ['PrivilegedAccessPolicy', policy(selector('site:geo', 'cl:site:geo')), labels('from', 'cl:site:geo')],
  [
    'AccessPolicy',
    policy(selector('service:name', 'export.clusterlink.net/name')),
    labels('from', 'service:name'),
    labels('from', 'export.clusterlink.net/name'),
  ],
  ['AccessPolicy', policy(selector('colour')), labels('from', 'colour')],
  ['AccessPolicy', policy(selector(), selector('k8s:sa')), labels('to', 'k8s:sa')],
  ['PrivilegedAccessPolicy', policy(asking('k8s:nss')), 'spec.from[0].workloadSelector.matchExpressions[0].key'],
  ['LoadBalancingPolicy', { scheme: 'attributes', attributes: ['service:name', 'k8s:ns'] }, 'spec.attributes[0]'],
  ['AccessPolicy', policy(selector('k8s ns')), labels('from', 'k8s ns')],
  ['AccessPolicy', policy(asking(' k8s:ns')), 'spec.from[0].workloadSelector.matchExpressions[0].key'],
  ['AccessPolicy', policy(asking('k8s:ns'))],
  // What its schema refuses is not looked into.
  ['AccessPolicy', { action: 'deny', from: {}, to: ['x', null, { workloadSelector: 7 }] }],

  ['LoadBalancingPolicy', { scheme: 'attributes', attributes: ['site:geo', 'site:tier'] }],
  [
    'LoadBalancingPolicy',
    { scheme: 'attributes', attributes: ['site:geo', 'cl:site:geo', 'a b'] },
    'spec.attributes[2]',
    'spec.attributes[1]',
  ],
  [
    'LoadBalancingPolicy',
    { scheme: 'random', to: [selector('k8s:ns', 'export.clusterlink.net/namespace')] },
    labels('to', 'export.clusterlink.net/namespace'),
  ],
  ['MeshTimeout', zone('site:name')],
];

test('keys of attributes', () => {
  for (const [type, spec, ...fields] of TABLE) {
    const found = attributeProblems(type, spec).map(({ field }) => field);
    assert.deepEqual(found, fields, `${type} ${JSON.stringify(spec)}`);
  }
});
