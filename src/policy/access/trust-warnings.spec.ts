import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL, type AccessItem, selector } from '../../../test/harness/access-policies.ts';
import { trustWarnings } from './trust-warnings.ts';

const role = { 'client.clusterlink.net/labels.role': 'batch' };
const IN_ANY = /^spec\.from\[0\] rests on "client\.clusterlink\.net\/labels\.role".*in any namespace/;
const EVADED = /^spec\.from\[0\] rests on "client\.clusterlink\.net\/labels\.role".*does not deny/;

const CASES: readonly (readonly [action: string, from: AccessItem, told: RegExp | undefined])[] = [
  ['allow', ALL, undefined],
  ['allow', selector({ 'k8s:ns': 'pay' }), undefined],
  ['allow', selector({ 'site:name': 'east', 'k8s:sa': 'web' }), undefined],
  ['allow', selector(role), IN_ANY],
  ['allow', selector({ ...role, 'site:name': 'east' }), IN_ANY],
  ['allow', selector(role, 'k8s:ns NotIn pay'), IN_ANY],
  ['allow', selector({ ...role, 'k8s:ns': 'pay' }), undefined],
  ['allow', selector(role, 'client.clusterlink.net/namespace In pay stock'), undefined],
  ['deny', selector(role), EVADED],
  ['deny', selector({ ...role, 'k8s:ns': 'pay' }), EVADED],
  ['deny', selector({ 'k8s:container-image': 'shop/web:1' }), undefined],
];

test('what rests on the word of its subject is told', () => {
  for (const [action, from, told] of CASES) {
    for (const type of ['AccessPolicy', 'PrivilegedAccessPolicy']) {
      const warnings = trustWarnings(type, { action, from: [from], to: [ALL] });
      assert.equal(warnings.length, told ? 1 : 0, `${action} ${JSON.stringify(from)}: ${warnings.join()}`);
      if (told) assert.match(warnings[0] ?? '', told);
    }
  }
});

test('of services it is told where others than their namespace have the say', () => {
  const spec = { action: 'deny', from: [ALL], to: [ALL, selector({ 'cl:service:tier': 'gold' })] };
  assert.deepEqual(trustWarnings('AccessPolicy', spec), []);
  assert.match(
    trustWarnings('PrivilegedAccessPolicy', spec).join(),
    /^spec\.to\[1\] rests on "cl:service:tier", which whoever deploys the service sets/,
  );
  assert.deepEqual(trustWarnings('MeshTimeout', spec), []);
  assert.deepEqual(trustWarnings('AccessPolicy', { action: 'deny' }), []);
});
