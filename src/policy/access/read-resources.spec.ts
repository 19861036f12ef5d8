import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Labels } from '../../resource/labels.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import { resource } from '../../../test/harness/policies.ts';
import { sourceAttributes } from './attributes.ts';
import { describeAttributes } from './attribute-trust.ts';
import { readSites, readWorkload } from './read-resources.ts';

const times = { creationTime: '', modificationTime: '' };
const zone = (name: string, spec: JsonObject): Resource => {
  const key = { type: 'Zone', mesh: '', zone: '', namespace: '', name };
  return { key, name, namespace: '', labels: {}, spec, ...times };
};
const networking = { address: '10.0.0.1', inbound: [{ port: 8080 }] };
const proxy = (where: string, labels: Labels) => resource('Dataplane', 'web-1', { networking }, where, labels);

describe('a Dataplane', () => {
  it('tells what its workload is, each attribute with whose word it is', () => {
    const dataplane = proxy('east/pay', {
      'k8s.kuma.io/service-account': 'web',
      'kuma.io/workload': 'web',
      'meridian.io/container-images': 'shop/web:1, proxy/envoy:2',
      'meridian.io/set': 'shop',
      app: 'web',
    });
    const sites = readSites([zone('east', { enabled: true, attributes: { location: 'aws/us-east', 'cl:fabric': 'shop' } })]);
    const known = describeAttributes(sourceAttributes(readWorkload(dataplane), sites.get('east')?.attributes), 'workload');
    assert.deepEqual(
      known.map(({ key, value, scope, trust }) => [key, value, scope, trust]),
      [
        ['cl:fabric', 'shop', 'fabric', 'operator'],
        ['k8s:container-image', 'proxy/envoy:2,shop/web:1', 'workload', 'orchestrator'],
        ['k8s:label:app', 'web', 'workload', 'owner'],
        ['k8s:ns', 'pay', 'workload', 'orchestrator'],
        ['k8s:owner', 'web', 'workload', 'orchestrator'],
        ['k8s:pod', 'web-1', 'workload', 'orchestrator'],
        ['k8s:sa', 'web', 'workload', 'orchestrator'],
        ['site:location', 'aws/us-east', 'site', 'operator'],
        ['site:name', 'east', 'site', 'proven'],
      ],
    );
  });

  it('without labels and namespace is a workload of which nothing is known', () => {
    const sites = readSites([zone('east', {})]);
    assert.equal(sourceAttributes(readWorkload(proxy('east', {})), sites.get('east')?.attributes).size, 0);
  });

  it('can not say anything of its site', () => {
    const dataplane = proxy('east/pay', { location: 'eu', 'peer.clusterlink.net/labels.geo': 'eu' });
    const sites = readSites([zone('east', { attributes: { location: 'us' } })]);
    const known = sourceAttributes(readWorkload(dataplane), sites.get('east')?.attributes);
    assert.deepEqual([known.get('site:location'), known.get('site:geo')], ['us', undefined]);
  });
});

describe('sites', () => {
  it('are those of the Zones, with the disabled ones', () => {
    const sites = readSites([zone('east', { attributes: { geo: 'eu' } }), zone('west', { enabled: false })]);
    assert.deepEqual(
      [...sites].map(([name, { attributes, disabled }]) => [name, Object.fromEntries(attributes ?? []), disabled]),
      [
        ['east', { 'site:name': 'east', 'site:geo': 'eu' }, false],
        ['west', { 'site:name': 'west' }, true],
      ],
    );
  });

  it('of which two things are said at once are not known', () => {
    assert.equal(readSites([zone('east', { attributes: { geo: 'eu', 'site:geo': 'us' } })]).get('east')?.attributes, undefined);
  });
});
