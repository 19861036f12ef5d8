import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { set } from '../../../test/harness/access-policies.ts';
import { ownAttributes, readForeignCaller } from './foreign-caller.ts';

describe('what another zone says of its caller', () => {
  it('is taken where it is of the workload, under the one key of each', () => {
    const read = readForeignCaller({ 'client.clusterlink.net/namespace': 'shop', 'k8s:label:app': 'web', 'k8s:sa': 'orders' });
    assert.deepEqual(read, {
      attributes: new Map([
        ['k8s:ns', 'shop'],
        ['k8s:label:app', 'web'],
        ['k8s:sa', 'orders'],
      ]),
    });
  });

  const refused: readonly (readonly [key: string, why: string])[] = [
    ['site:name', 'site-attributes'],
    ['site:location', 'site-attributes'],
    ['site:anything', 'site-attributes'],
    ['cl:site:geo', 'site-attributes'],
    ['cl:fabric', 'site-attributes'],
    ['peer.clusterlink.net/name', 'site-attributes'],
    ['peer.clusterlink.net/labels.geo', 'site-attributes'],
    ['service:name', 'unknown-attributes'],
    ['export.clusterlink.net/name', 'unknown-attributes'],
    ['colour', 'unknown-attributes'],
    ['', 'unknown-attributes'],
    ['constructor', 'unknown-attributes'],
  ];
  for (const [key, why] of refused) {
    it(`is refused with ${JSON.stringify(key)}`, () => {
      const read = readForeignCaller({ 'k8s:ns': 'shop', [key]: 'x' });
      assert.equal('refused' in read && read.refused, why);
    });
  }

  it('is refused where it says two things of one', () => {
    assert.ok('refused' in readForeignCaller({ 'k8s:ns': 'a', 'client.clusterlink.net/namespace': 'b' }));
  });

  it('is all that a zone knows of it but its site, and is taken there as it is here', () => {
    const source = set('source', { 'k8s:ns': 'shop', 'k8s:label:app': 'web', 'site:name': 'east', 'cl:site:geo': 'eu', 'cl:fabric': 'f' });
    assert.deepEqual(ownAttributes(source), { 'k8s:ns': 'shop', 'k8s:label:app': 'web' });
    assert.deepEqual(readForeignCaller(ownAttributes(source)), { attributes: set('source', { 'k8s:ns': 'shop', 'k8s:label:app': 'web' }) });
  });
});
