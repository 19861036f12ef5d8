import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Resource } from '../../resource/resource.ts';
import { resource } from '../../../test/harness/policies.ts';
import { type Attributes, siteAttributes, sourceAttributes, type Workload } from './attributes.ts';
import { readBalancing } from './balance-sites.ts';
import { bindImport } from './import-bindings.ts';
import { connect } from './connect-workload.ts';
import { ALL, access, privileged, selector } from '../../../test/harness/access-policies.ts';
import { readAccessPolicies } from './access-policies.ts';

const AT = { mesh: 'default', zone: 'east' };
const services = ['bern', 'gone', 'lima', 'oslo'].map((zone) => resource('MeshService', 'ledger', {}, `${zone}/pay`));
const { bound } = bindImport({ mesh: 'default', namespace: 'pay', name: 'ledger' }, services);
const sites = new Map<string, Attributes>();
for (const [name, geo] of [
  ['bern', 'eu'],
  ['lima', 'sa'],
  ['oslo', 'eu'],
  ['east', 'eu'],
] as const) {
  const site = siteAttributes(name, { geo });
  if (site) sites.set(name, site);
}

function ask(policies: readonly Resource[], workload: Workload | undefined) {
  const known = { policies: readAccessPolicies(policies, AT), balancing: readBalancing(policies, AT), bound, sites };
  const by = { source: sourceAttributes(workload, sites.get('east')), namespace: 'pay' };
  const { choice, decided } = connect(known, by);
  return [choice.among[0]?.binding.key.zone, ...decided.map(({ binding, decision }) => `${binding.key.zone} ${decision.allowed}`)];
}

const everywhere = access('all', 'allow', [ALL]);
const lima = resource('LoadBalancingPolicy', 'lima', { scheme: 'static', sites: ['gone', 'lima', 'oslo'] }, 'east/pay');

describe('the client’s side', () => {
  const only = access('eu', 'allow', [ALL], [selector({ 'peer.clusterlink.net/labels.geo': 'eu' })]);
  const notEu = access('not-eu', 'allow', [ALL], [selector('site:geo NotIn eu')]);
  const cases: readonly (readonly [title: string, policies: readonly Resource[], expected: readonly (string | undefined)[]])[] = [
    ['nothing is allowed', [], [undefined, 'bern false', 'lima false', 'oslo false']],
    ['any site', [everywhere], ['bern', 'bern true', 'lima true', 'oslo true']],
    ['the policy’s choice, past what is gone', [everywhere, lima], ['lima', 'bern true', 'lima true', 'oslo true']],
    ['but only among those that are allowed', [only, lima], ['oslo', 'bern true', 'lima false', 'oslo true']],
    ['never one of a site that isn’t known', [notEu], ['lima', 'bern false', 'lima true', 'oslo false']],
    [
      'a veto',
      [everywhere, privileged('v', 'deny', [ALL], [selector({ 'site:name': 'bern' })])],
      ['lima', 'bern false', 'lima true', 'oslo true'],
    ],
  ];
  for (const [title, policies, expected] of cases) {
    it(title, () => assert.deepEqual(ask(policies, { namespace: 'pay', labels: {} }), expected));
  }

  it('lets nobody in of whom nothing is known', () => {
    assert.deepEqual(ask([everywhere], undefined), [undefined, 'bern false', 'lima false', 'oslo false']);
  });
});
