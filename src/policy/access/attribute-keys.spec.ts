import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { attributeKey, siteKey } from './attribute-keys.ts';

const cases: readonly (readonly [key: string, source: string | undefined, destination: string | undefined])[] = [
  ['cl:fabric', 'cl:fabric', 'cl:fabric'],
  ['site:name', 'site:name', 'site:name'],
  ['site:location', 'site:location', 'site:location'],
  ['cl:site:geo', 'site:geo', 'site:geo'],
  ['cl:site:name', 'cl:site:name', 'cl:site:name'],
  ['peer.clusterlink.net/name', 'site:name', 'site:name'],
  ['peer.clusterlink.net/labels.name', 'cl:site:name', 'cl:site:name'],
  ['peer.clusterlink.net/labels.geo', 'site:geo', 'site:geo'],
  ['k8s:ns', 'k8s:ns', 'k8s:ns'],
  ['k8s:sa', 'k8s:sa', undefined],
  ['k8s:label:app', 'k8s:label:app', 'k8s:label:app'],
  ['k8s:container-image', 'k8s:container-image', undefined],
  ['k8s:init-container-image', 'k8s:init-container-image', undefined],
  ['k8s:pod', 'k8s:pod', undefined],
  ['k8s:owner', 'k8s:owner', undefined],
  ['service:name', undefined, 'service:name'],
  ['cl:service:tier', undefined, 'k8s:label:tier'],
  ['client.clusterlink.net/namespace', 'k8s:ns', undefined],
  ['client.clusterlink.net/service-account', 'k8s:sa', undefined],
  ['client.clusterlink.net/labels.app.kubernetes.io/name', 'k8s:label:app.kubernetes.io/name', undefined],
  ['export.clusterlink.net/name', undefined, 'service:name'],
  ['export.clusterlink.net/namespace', undefined, 'k8s:ns'],
  ['export.clusterlink.net/labels.tier', undefined, 'k8s:label:tier'],
  ...['', 'app', 'k8s:', 'k8s:label:', 'k8s:nss', 'site:', 'cl:site:', 'client.clusterlink.net/nmae', 'client.clusterlink.net/labels.']
    .concat(['peer.clusterlink.net/labels.', 'constructor', '__proto__', 'K8S:ns', ' k8s:ns'])
    .map((key) => [key, undefined, undefined] as const),
];

describe('the keys of attributes', () => {
  for (const [key, source, destination] of cases) {
    it(`${JSON.stringify(key)}: ${source ?? 'none'} of a source, ${destination ?? 'none'} of a destination`, () => {
      assert.equal(attributeKey('source', key), source);
      assert.equal(attributeKey('destination', key), destination);
    });
  }

  const sites: readonly (readonly [key: string, kept: string])[] = [
    ['geo', 'site:geo'],
    ['site:geo', 'site:geo'],
    ['cl:site:geo', 'site:geo'],
    ['peer.clusterlink.net/labels.geo', 'site:geo'],
    ['cl:fabric', 'cl:fabric'],
    ['name', 'cl:site:name'],
    ['site:name', 'site:name'],
    ['k8s:ns', 'site:k8s:ns'],
    ['client.clusterlink.net/namespace', 'site:client.clusterlink.net/namespace'],
    ['toString', 'site:toString'],
  ];
  for (const [key, kept] of sites) {
    it(`a site's ${key} is ${kept}`, () => assert.equal(siteKey(key), kept));
  }

  it('are themselves what they stand for', () => {
    const known = cases.flatMap(([key]) => (['source', 'destination'] as const).map((side) => [side, attributeKey(side, key)] as const));
    for (const [side, key] of known) if (key !== undefined) assert.equal(attributeKey(side, key), key);
  });

  it('of a site never stand for what a workload or service has', () => {
    const key = fc.oneof(fc.string(), fc.constantFrom(...cases.map(([one]) => one)));
    fc.assert(fc.property(key, (one) => /^(site:|cl:site:name$|cl:fabric$)/.test(siteKey(one))));
  });
});
