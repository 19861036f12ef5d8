import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { prepareCedar } from '../../bench/access/cedar.ts';
import { makePolicies, makeRequests } from '../../bench/access/made-policies.ts';
import { verdictOf } from '../../bench/access/verdict.ts';
import { readAccessPolicies } from '../../src/policy/access/access-policies.ts';
import { decideAccess } from '../../src/policy/access/decide-access.ts';
import { givenResource } from '../../src/policy/decide/given-requests.ts';
import type { Labels } from '../../src/resource/labels.ts';
import { set } from '../harness/access-policies.ts';

interface DecidedSet {
  readonly policies: readonly unknown[];
  readonly queries: readonly { from: Labels; to: Labels; namespace: string; allowed: boolean; privileged: boolean; default?: boolean }[];
}

const file = new URL('../reference/access-decisions.json', import.meta.url);
const sets = JSON.parse(readFileSync(file, 'utf8')) as DecidedSet[];
const at = { mesh: 'default', zone: 'east' };

/** The benchmark compares with policies that are translated to Cedar: they must mean the same. */
describe('access policies translated to Cedar', () => {
  it('give the verdicts of the real ClusterLink', () => {
    for (const { policies, queries } of sets) {
      const ask = prepareCedar(
        readAccessPolicies(
          policies.map((one) => givenResource(one, 'policy')),
          at,
        ),
      );
      for (const { from, to, namespace, allowed, privileged, default: byDefault } of queries) {
        const expected = byDefault ? 'default deny' : `${privileged ? 'privileged ' : ''}${allowed ? 'allow' : 'deny'}`;
        const [source, destination] = [set('source', from), set('destination', to)];
        assert.equal(ask({ from: Object.fromEntries(source), to: Object.fromEntries(destination), namespace }), expected);
      }
    }
    assert.equal(sets.length, 60);
  });

  it('decide as Meridian does, of every shape of a policy', () => {
    const policies = readAccessPolicies(makePolicies(200, 7), at);
    const ask = prepareCedar(policies);
    const verdicts = new Set<string>();
    for (const request of makeRequests(400, 8)) {
      const verdict = ask(request);
      verdicts.add(verdict);
      assert.equal(verdict, verdictOf(decideAccess(policies, request)));
    }
    assert.equal(verdicts.size, 5);
  });
});
