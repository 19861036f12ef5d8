import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Labels } from '../../resource/labels.ts';
import type { Resource } from '../../resource/resource.ts';
import { resource } from '../../../test/harness/policies.ts';
import { ALL, access, privileged, selector, set } from '../../../test/harness/access-policies.ts';
import { type AccessDecision, decideAccess } from './decide-access.ts';
import { readAccessPolicies } from './access-policies.ts';

const web = { 'k8s:ns': 'pay', 'k8s:label:app': 'web' };

function ask(policies: readonly Resource[], source: Labels = web, namespace = 'pay', zone = 'east'): AccessDecision {
  const destination = set('destination', { 'service:name': 'ledger' });
  return decideAccess(readAccessPolicies(policies, { mesh: 'default', zone }), { source: set('source', source), destination, namespace });
}

const verdict = ({ allowed, privileged: above, decidedBy }: AccessDecision) =>
  `${above ? 'privileged ' : ''}${allowed ? 'allow' : 'deny'}${decidedBy ? ` by ${decidedBy.name}` : ''}`;

const [allow, deny] = [access('allow', 'allow', [ALL]), access('deny', 'deny', [ALL])];
const [above, veto] = [privileged('above', 'allow', [ALL]), privileged('veto', 'deny', [ALL])];
const other = selector({ 'k8s:label:app': 'other' });

describe('the order of decisions', () => {
  const cases: readonly (readonly [title: string, policies: readonly Resource[], expected: string])[] = [
    ['nothing', [], 'deny'],
    ['allow', [allow], 'allow by allow'],
    ['deny wins over allow', [allow, deny], 'deny by deny'],
    ['privileged allow wins over deny', [allow, deny, above], 'privileged allow by above'],
    ['privileged deny wins over all', [allow, deny, above, veto], 'privileged deny by veto'],
    ['what doesn’t match `from` is passed over', [allow, access('d', 'deny', [other]), privileged('v', 'deny', [other])], 'allow by allow'],
    ['what doesn’t match `to` is passed over', [allow, access('d', 'deny', [ALL], [selector({ 'service:name': 'x' })])], 'allow by allow'],
    ['of several the first by KRI', [access('b', 'allow', [ALL]), access('a', 'allow', [ALL]), access('c', 'allow', [ALL])], 'allow by a'],
  ];
  for (const [title, policies, expected] of cases) {
    it(title, () => {
      assert.equal(verdict(ask(policies)), expected);
      assert.equal(verdict(ask([...policies].reverse())), expected);
      assert.equal(ask(policies).default, expected === 'deny' ? true : undefined);
    });
  }
});

describe('where a policy has a say', () => {
  const cases: readonly (readonly [title: string, where: string, namespace: string, zone: string, expected: string])[] = [
    ['its own namespace', 'east/pay', 'pay', 'east', 'allow by p'],
    ['no other', 'east/pay', 'stock', 'east', 'deny'],
    ['none, where there is none', 'east/pay', '', 'east', 'deny'],
    ['the system namespace is a namespace', 'east/kuma-system', 'pay', 'east', 'deny'],
    ['no other zone’s', 'west/pay', 'pay', 'east', 'deny'],
    ['global’s in all namespaces of all zones', '', 'stock', 'east', 'allow by p'],
    ['a universal zone’s in all of it', 'east', '', 'east', 'allow by p'],
    ['and nowhere else', 'east', '', 'west', 'deny'],
  ];
  for (const [title, where, namespace, zone, expected] of cases) {
    it(title, () => assert.equal(verdict(ask([access('p', 'allow', [ALL], [ALL], where)], web, namespace, zone)), expected));
  }

  it('a privileged one in every namespace', () => {
    assert.equal(verdict(ask([allow, veto], web, 'stock')), 'privileged deny by veto');
    assert.equal(verdict(ask([veto, access('g', 'allow', [ALL], [ALL], '')], web, 'pay', 'west')), 'allow by g');
  });

  it('none of another mesh', () => {
    const spec = { action: 'deny', from: [ALL], to: [ALL] };
    assert.equal(verdict(ask([allow, resource('PrivilegedAccessPolicy', 'm', spec, 'east', {}, 'other')])), 'allow by allow');
  });
});

describe('a caller of whom nothing is known', () => {
  for (const source of [{}, { colour: 'red' }, { 'export.clusterlink.net/name': 'ledger' }] as Labels[]) {
    it(`is denied: ${JSON.stringify(source)}`, () => {
      const open = [ALL, selector('k8s:label:app NotIn other'), selector('k8s:label:app DoesNotExist')];
      assert.equal(verdict(ask([access('a', 'allow', open), privileged('p', 'allow', open)], source)), 'deny');
    });
  }
});

describe('a policy that isn’t enforced', () => {
  const shadow = { 'kuma.io/effect': 'shadow' };
  const spec = (action: string) => ({ action, from: [ALL], to: [ALL] });

  it('is shown where it matches', () => {
    const [no, yes] = ['deny', 'allow'].map((action) => resource('AccessPolicy', `s-${action}`, spec(action), 'east/pay', shadow));
    assert.ok(no && yes);
    const decision = ask([allow, no, yes]);
    assert.equal(verdict(decision), 'allow by allow');
    assert.deepEqual(
      decision.matchedInShadow.map(({ name }) => name),
      ['s-deny', 's-allow'],
    );
    assert.equal(verdict(ask([yes])), 'deny');
    assert.deepEqual(ask([no], web, 'stock').matchedInShadow, []);
  });

  it('because it can’t be read, denies all, unless it says that it allows', () => {
    const broken = (action: string): Resource => ({
      ...deny,
      key: { ...deny.key, name: 'broken' },
      spec: { action, from: [{}], to: [ALL] },
    });
    assert.equal(verdict(ask([allow, broken('deny')])), 'deny by broken');
    assert.equal(verdict(ask([allow, broken('Deny')])), 'deny by broken');
    assert.equal(verdict(ask([broken('allow')])), 'deny');
    assert.equal(verdict(ask([allow, broken('deny')], web, 'stock')), 'deny');
  });
});
