import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Labels } from '../../resource/labels.ts';
import { access, ALL, selector, set } from '../../../test/harness/access-policies.ts';
import { readAccessPolicies } from './access-policies.ts';
import { decideAccess } from './decide-access.ts';
import { hasValue, nearness } from './locations.ts';

test('a location lies within another by whole segments', () => {
  const cases: readonly (readonly [value: string, named: string, within: boolean])[] = [
    ['aws/us-east', 'aws/us-east', true],
    ['aws/us-east/vpc17', 'aws/us-east', true],
    ['aws/us-east/vpc17', 'aws', true],
    ['aws/us-east/vpc17', 'aws/', true],
    ['aws/us-east2', 'aws/us-east', false],
    ['aws', 'aws/us-east', false],
    ['eu/aws', 'aws', false],
    ['', 'aws', false],
    ['/aws', '', false],
  ];
  for (const [value, named, within] of cases) assert.equal(hasValue('site:location', value, named), within, `${value} in ${named}`);
  assert.equal(hasValue('site:name', 'aws/us-east', 'aws'), false);
  assert.equal(hasValue('k8s:label:location', 'aws/us-east', 'aws'), false);
});

test('nearness is in segments of a location, and all or nothing elsewhere', () => {
  const cases: readonly (readonly [key: string, a: string, b: string, near: number])[] = [
    ['site:location', 'aws/us-east/vpc17', 'aws/us-east/vpc17', 3],
    ['site:location', 'aws/us-east/vpc17', 'aws/us-east', 2],
    ['site:location', 'aws/us-east', 'aws/us-east/vpc17', 2],
    ['site:location', 'aws/us-east', 'aws/us-west', 1],
    ['site:location', 'aws', 'gcp', 0],
    ['site:geo', 'eu/a', 'eu/b', 0],
    ['site:geo', 'eu', 'eu', 1],
  ];
  for (const [key, a, b, near] of cases) assert.equal(nearness(key, a, b), near, `${key} ${a} ${b}`);
});

test('every operator takes a location for what it lies within, in an allow and in a deny', () => {
  const source = set('source', { 'k8s:ns': 'pay', 'site:location': 'aws/us-east/vpc17' });
  const cases: readonly (readonly [requirement: Labels | string, matches: boolean])[] = [
    [{ 'site:location': 'aws' }, true],
    [{ 'cl:site:location': 'aws/us-east' }, true],
    [{ 'peer.clusterlink.net/labels.location': 'aws/us-west' }, false],
    ['site:location In gcp aws/us-east', true],
    ['site:location NotIn aws', false],
    ['site:location NotIn aws/us-west', true],
  ];
  for (const [requirement, matches] of cases) {
    for (const action of ['allow', 'deny']) {
      const others = action === 'deny' ? [access('all', 'allow', [ALL])] : [];
      const policies = readAccessPolicies([access('p', action, [selector(requirement)]), ...others], { mesh: 'default', zone: 'east' });
      const { allowed } = decideAccess(policies, { source, destination: set('destination', { 'service:name': 'x' }), namespace: 'pay' });
      assert.equal(allowed, (action === 'allow') === matches, `${action} ${JSON.stringify(requirement)}`);
    }
  }
});
