import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatKri } from '../../resource/key.ts';
import type { Labels } from '../../resource/labels.ts';
import { atOnce } from '../../resource/store/parts.ts';
import { inForce } from '../../../test/harness/access-worlds.ts';
import { set } from '../../../test/harness/access-policies.ts';
import { resource } from '../../../test/harness/policies.ts';
import { decideByRbac } from '../../../test/harness/rbac-interpreter.ts';
import { callerVerdictMap, permissions, type SampleShape, wire } from '../../../test/harness/rbac-samples.ts';
import { CallerMatrix } from '../callers/caller-matrix.ts';
import { evaluateInbound } from '../decide/evaluate-callers.ts';
import { givenResource } from '../decide/given-requests.ts';
import { readRequest } from '../decide/read-request.ts';
import { InboundRbac } from './compile-rbac.ts';
import { ASKS_ZONE } from './envoy-matchers.ts';
import { REASON } from './rbac-side.ts';
import { isRoute } from './route-match.spec.ts';

/** A trust domain of some of the samples. */
const HOME = 'spiffe://default';

describe('permissions and access policies together: the compiled RBAC decides as the evaluator does', () => {
  for (const shape of ['spiffe', 'from', 'mixed'] satisfies SampleShape[]) {
    for (const protocol of ['http', 'tcp'] as const) {
      for (const form of ['trees', 'list'] as const) {
        it(`${shape}, ${protocol}, as ${form}`, () => {
          const counts = { Allow: 0, Deny: 0 };
          fc.assert(
            fc.property(permissions(shape, true), callerVerdictMap, wire, (given, callers, asked) => {
              const { filter, routes, alone } = new InboundRbac({ protocol, form, statPrefix: 'x.' }).compile(given, callers);
              const subject = readRequest({ spiffeIds: asked.sans, method: asked.method, path: asked.path }, protocol, 'default');
              const seen = protocol === 'tcp' ? { sans: asked.sans } : asked;
              const routed = routes.find(({ match }) => isRoute(match, asked))?.rbac;
              for (const side of ['enforced', 'shadow'] as const) {
                const { action, decidedBy } = evaluateInbound({ permissions: given, callers }, subject, side);
                for (const rbac of [routed ?? filter, alone]) {
                  const outcome = decideByRbac(rbac, side, seen);
                  assert.equal(outcome.action, action);
                  // Who decided is told alike, but for `from`, which has no name of its own.
                  if (decidedBy && decidedBy.type !== 'MeshTrafficPermission') assert.equal(outcome.name, formatKri(decidedBy));
                }
                counts[action]++;
              }
            }),
            { numRuns: 600 },
          );
          assert.ok(counts.Allow > 15 && counts.Deny > 300, JSON.stringify(counts));
        });
      }
    }
  }

  for (const protocol of ['http', 'tcp'] as const) {
    it(`${protocol}: of callers about whom nothing is decided, those of other zones are left to the zone, where a listener says that it asks`, () => {
      const counts = { asked: 0, not: 0 };
      fc.assert(
        fc.property(permissions('mixed', true), callerVerdictMap, wire, (given, callers, asking) => {
          const target = { protocol, form: 'trees', statPrefix: 'x.' } as const;
          const { filter, alone } = new InboundRbac({ ...target, home: HOME }).compile(given, callers);
          const strict = new InboundRbac(target).compile(given, callers);
          const seen = protocol === 'tcp' ? { sans: asking.sans } : asking;
          const marked = { ...seen, said: { [ASKS_ZONE.key]: ASKS_ZONE.value } };
          const [id = '', ...others] = seen.sans;
          for (const [rbac, before] of [
            [filter, strict.filter],
            [alone, strict.alone],
          ] as const) {
            const denied = decideByRbac(before, 'enforced', seen);
            assert.deepEqual(decideByRbac(rbac, 'enforced', seen), denied, 'in a listener of others');
            const isAsked = denied.name === REASON.nobody && id !== '' && others.length === 0 && !id.startsWith(`${HOME}/`);
            assert.deepEqual(decideByRbac(rbac, 'enforced', marked), isAsked ? { action: 'Allow', name: REASON.asked } : denied);
            counts[isAsked ? 'asked' : 'not']++;
          }
        }),
        { numRuns: 600 },
      );
      assert.ok(counts.asked > 50 && counts.not > 300, JSON.stringify(counts));
    });
  }

  it('what was compiled for other callers and permissions before makes no difference', () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(permissions('mixed', true), fc.option(callerVerdictMap, { nil: undefined })), { minLength: 2, maxLength: 4 }),
        (steps) => {
          const kept = new InboundRbac({ protocol: 'http', form: 'trees', statPrefix: '' });
          for (const [given, callers] of steps)
            assert.deepEqual(
              kept.compile(given, callers),
              new InboundRbac({ protocol: 'http', form: 'trees', statPrefix: '' }).compile(given, callers),
            );
        },
      ),
    ));
});

interface CompiledVector {
  readonly policies: readonly unknown[];
  readonly queries: readonly { readonly from: Labels; readonly to: Labels; readonly namespace: string; readonly allowed: boolean }[];
}

const file = new URL('../../../test/reference/access-decisions.json', import.meta.url);
const entries = JSON.parse(readFileSync(file, 'utf8')) as CompiledVector[];

/** The proxy that has these attributes, but for those of its site. */
function caller(from: Labels) {
  const labels = Object.entries(from).flatMap(([key, value]) => {
    if (key === 'client.clusterlink.net/service-account') return [['k8s.kuma.io/service-account', value] as const];
    const label = key.replace(/^client\.clusterlink\.net\/labels\./, '');
    return label === key ? [] : [[label, value] as const];
  });
  const namespace = from['client.clusterlink.net/namespace'];
  const networking = { address: '10.0.0.1', inbound: [{ port: 80 }] };
  // A label that no policy asks for, so that something is known of it.
  return resource('Dataplane', 'x', { networking }, namespace === undefined ? 'east' : `east/${namespace}`, {
    ...Object.fromEntries(labels),
    x: 'y',
  });
}

describe('the verdicts of the real ClusterLink, compiled', () => {
  for (const [index, { policies, queries }] of entries.entries()) {
    it(`set ${index}`, () => {
      const read = inForce(policies.map((policy) => givenResource(policy, 'policy')));
      for (const { from, to, namespace, allowed } of queries) {
        const site = set('source', Object.fromEntries(Object.entries(from).filter(([key]) => key.startsWith('peer.'))));
        const matrix = atOnce(CallerMatrix.build({ policies: read, dataplanes: [caller(from)], site }));
        const callers = matrix.at([{ id: 'to', namespace, attributes: set('destination', to) }]);
        const [id = ''] = callers?.keys() ?? [];
        const { filter } = new InboundRbac({ protocol: 'http', form: 'trees', statPrefix: '' }).compile([], callers);
        assert.equal(decideByRbac(filter, 'enforced', { sans: [id], method: 'GET', path: '/' }).action === 'Allow', allowed);
      }
    });
  }
});
