import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Labels } from '../../resource/labels.ts';
import { givenResource } from '../decide/given-requests.ts';
import { set } from '../../../test/harness/access-policies.ts';
import { decideAccess } from './decide-access.ts';
import { readAccessPolicies } from './access-policies.ts';

interface AccessVector {
  readonly policies: readonly unknown[];
  readonly queries: readonly {
    readonly from: Labels;
    readonly to: Labels;
    readonly namespace: string;
    readonly allowed: boolean;
    readonly privileged: boolean;
    readonly default?: boolean;
  }[];
}

const file = new URL('../../../test/reference/access-decisions.json', import.meta.url);
const entries = JSON.parse(readFileSync(file, 'utf8')) as AccessVector[];

/** ClusterLink's keys as docs/design/sources.md#attributes spells them. */
const SPELLINGS: readonly (readonly [clusterlink: RegExp, proposal: string])[] = [
  [/^(client|export)\.clusterlink\.net\/namespace$/, 'k8s:ns'],
  [/^client\.clusterlink\.net\/service-account$/, 'k8s:sa'],
  [/^export\.clusterlink\.net\/name$/, 'service:name'],
  [/^(client|export)\.clusterlink\.net\/labels\./, 'k8s:label:'],
  [/^peer\.clusterlink\.net\/name$/, 'site:name'],
  [/^peer\.clusterlink\.net\/labels\./, 'cl:site:'],
];

function respell(given: Labels): Labels {
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [SPELLINGS.reduce((text, [from, to]) => text.replace(from, to), key), value]),
  );
}

describe('the verdicts of the real ClusterLink', () => {
  for (const [index, { policies, queries }] of entries.entries()) {
    it(`set ${index}`, () => {
      const resources = policies.map((policy) => givenResource(policy, 'policy'));
      const read = readAccessPolicies(resources, { mesh: 'default', zone: 'east' });
      for (const { from, to, namespace, ...expected } of queries) {
        for (const spelled of [from, respell(from)]) {
          const asked = { source: set('source', spelled), destination: set('destination', respell(to)), namespace };
          const { allowed, privileged, default: byDefault, decidedBy } = decideAccess(read, asked);
          assert.deepEqual({ allowed, privileged, ...(byDefault ? { default: byDefault } : {}) }, expected);
          assert.equal(decidedBy === undefined, byDefault === true);
        }
      }
    });
  }

  it('are sixty', () => assert.equal(entries.length, 60));
});
