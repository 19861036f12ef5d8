import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Labels } from '../../resource/labels.ts';
import { indexMesh } from '../match/mesh-index.ts';
import { readProxy } from '../match/read-proxy.ts';
import { decide, permissionMatches } from './decide-request.ts';
import { givenResource } from './given-requests.ts';

interface DecisionVector {
  readonly policies: readonly unknown[];
  readonly matchedInOrder: readonly string[];
  /**
   * `kumaSays` is left alone: there Kuma's optimised tables break its own rule (docs/design/sources.md#real-systems).
   */
  readonly clients: readonly { readonly tags: Labels; readonly decision: string }[];
}

const entries = JSON.parse(
  readFileSync(new URL('../../../test/reference/from-decisions.json', import.meta.url), 'utf8'),
) as DecisionVector[];

/** Kuma's action on both sides: what is enforced, and what would be. */
const SIDES: Readonly<Record<string, readonly string[]>> = {
  Allow: ['Allow', 'Allow'],
  AllowWithShadowDeny: ['Allow', 'Deny'],
  Deny: ['Deny', 'Deny'],
};

const backend = givenResource(
  {
    type: 'Dataplane',
    mesh: 'default',
    name: 'backend-1',
    labels: { app: 'backend' },
    networking: {
      address: '127.0.0.1',
      inbound: [{ port: 8080, tags: { 'kuma.io/service': 'backend', app: 'backend', env: 'prod', 'kuma.io/zone': 'east' } }],
    },
  },
  'dataplane',
);

describe('the verdicts of the real Kuma', () => {
  const mesh = indexMesh([backend]);
  const proxy = readProxy(backend, mesh);
  const [inbound] = proxy.inbounds;
  assert.ok(inbound);
  for (const [index, { policies, matchedInOrder, clients }] of entries.entries()) {
    it(`set ${index}`, () => {
      const resources = policies.map((policy) => givenResource(policy, 'policy'));
      const names = permissionMatches(resources, proxy, inbound, mesh).map(({ policy }) => policy.resource.name);
      assert.deepEqual(names, matchedInOrder);
      for (const { tags, decision } of clients) {
        const decided = decide({ policies: resources, dataplane: backend, request: { tags } });
        assert.deepEqual([decided.decision, decided.shadow], SIDES[decision]);
      }
    });
  }

  it('are eighty', () => assert.equal(entries.length, 80));
});
