import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Labels } from '../../resource/labels.ts';
import { resource } from '../../../test/harness/policies.ts';
import {
  type Attributes,
  destinationAttributes,
  readAttributes,
  readService,
  siteAttributes,
  sourceAttributes,
  type Workload,
} from './attributes.ts';

const plain = (attributes: Attributes | undefined) => attributes && Object.fromEntries(attributes);
const rome = siteAttributes('rome', { geo: 'eu' });
assert.ok(rome);

describe('a source set', () => {
  const full: Workload = {
    namespace: 'pay',
    serviceAccount: 'api',
    labels: { app: 'web', empty: '' },
    images: ['b:2', 'a:1', 'B:1'],
    initImages: ['init@sha256:0'],
  };

  it('is the workload’s and its site’s', () => {
    assert.deepEqual(plain(sourceAttributes(full, rome)), {
      'k8s:ns': 'pay',
      'k8s:sa': 'api',
      'k8s:label:app': 'web',
      'k8s:label:empty': '',
      'k8s:container-image': 'B:1,a:1,b:2',
      'k8s:init-container-image': 'init@sha256:0',
      'site:name': 'rome',
      'site:geo': 'eu',
    });
  });

  const few: readonly (readonly [title: string, workload: Workload | undefined, site: Attributes | undefined, expected: Labels])[] = [
    ['what isn’t known is absent', { namespace: 'pay', labels: {} }, rome, { 'k8s:ns': 'pay', 'site:name': 'rome', 'site:geo': 'eu' }],
    ['nothing of an unknown workload, not even its site', undefined, rome, {}],
    ['nor of one of which nothing is known', { namespace: '', serviceAccount: '', labels: {}, images: [] }, rome, {}],
    ['nothing of a workload of an unknown site', full, undefined, {}],
  ];
  for (const [title, workload, site, expected] of few) {
    it(title, () => assert.deepEqual(plain(sourceAttributes(workload, site)), expected));
  }
});

describe('a destination set', () => {
  it('is the service’s and its site’s, without the labels that control planes compute', () => {
    const service = readService(resource('MeshService', 'ledger', {}, 'rome/stock', { tier: 'gold' }));
    assert.deepEqual(plain(destinationAttributes(service, rome)), {
      'service:name': 'ledger',
      'k8s:ns': 'stock',
      'k8s:label:tier': 'gold',
      'site:name': 'rome',
      'site:geo': 'eu',
    });
    const universal = readService(resource('MeshService', 'ledger', {}, 'rome'));
    assert.equal(destinationAttributes(universal, rome).has('k8s:ns'), false);
  });
});

describe('a site', () => {
  const cases: readonly (readonly [given: Labels, expected: Labels | undefined])[] = [
    [{}, {}],
    [
      { 'site:location': 'aws/us-east', geo: 'us' },
      { 'site:location': 'aws/us-east', 'site:geo': 'us' },
    ],
    [{ geo: 'us', 'cl:site:geo': 'us' }, { 'site:geo': 'us' }],
    [{ geo: 'us', 'cl:site:geo': 'eu' }, undefined],
    [{ 'site:name': 'rome' }, {}],
    [{ 'site:name': 'bern' }, undefined],
    [{ 'peer.clusterlink.net/name': 'bern' }, undefined],
    [{ name: 'bern' }, { 'cl:site:name': 'bern' }],
    [{ 'k8s:ns': 'pay' }, { 'site:k8s:ns': 'pay' }],
  ];
  for (const [given, expected] of cases) {
    it(`rome with ${JSON.stringify(given)}`, () =>
      assert.deepEqual(plain(siteAttributes('rome', given)), expected && { 'site:name': 'rome', ...expected }));
  }
});

describe('a set as people write it', () => {
  const cases: readonly (readonly [side: 'source' | 'destination', given: Labels, expected: Labels | undefined])[] = [
    [
      'source',
      { 'client.clusterlink.net/namespace': 'pay', 'peer.clusterlink.net/name': 'rome' },
      { 'k8s:ns': 'pay', 'site:name': 'rome' },
    ],
    ['source', { 'export.clusterlink.net/namespace': 'pay', colour: 'red' }, {}],
    ['destination', { 'export.clusterlink.net/namespace': 'pay', 'k8s:sa': 'x' }, { 'k8s:ns': 'pay' }],
    ['source', { 'client.clusterlink.net/namespace': 'pay', 'k8s:ns': 'stock' }, undefined],
    ['source', { 'client.clusterlink.net/namespace': '', 'k8s:ns': 'stock' }, undefined],
    ['source', { 'client.clusterlink.net/namespace': 'pay', 'k8s:ns': 'pay' }, { 'k8s:ns': 'pay' }],
  ];
  for (const [side, given, expected] of cases) {
    it(`${side} ${JSON.stringify(given)}`, () => assert.deepEqual(plain(readAttributes(side, given)), expected));
  }
});
