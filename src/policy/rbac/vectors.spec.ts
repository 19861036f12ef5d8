import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Labels } from '../../resource/labels.ts';
import type { Resource } from '../../resource/resource.ts';
import { permissionMatches } from '../decide/decide-request.ts';
import { givenResource } from '../decide/given-requests.ts';
import { readPermissions } from '../decide/read-permissions.ts';
import { dataplane, exact, fromList, permission, prefix } from '../../../test/harness/policies.ts';
import { sansOf } from '../match/client-sans.ts';
import { indexMesh } from '../match/mesh-index.ts';
import { readProxy } from '../match/read-proxy.ts';
import { type CompiledRbac, InboundRbac } from './compile-rbac.ts';
import { decideByRbac, type Wire } from '../../../test/harness/rbac-interpreter.ts';
import type { RbacForm } from './rbac-side.ts';

function compile(policies: readonly Resource[], target: Resource, form: RbacForm = 'trees', protocol?: 'http' | 'tcp'): CompiledRbac {
  const mesh = indexMesh([target]);
  const proxy = readProxy(target, mesh);
  const [inbound] = proxy.inbounds;
  assert.ok(inbound);
  const matches = permissionMatches(policies, proxy, inbound, mesh);
  return new InboundRbac({ protocol: protocol ?? inbound.protocol, form, statPrefix: 'x.' }).compile(readPermissions(matches));
}

function verdicts({ filter }: CompiledRbac, wire: Wire): string[] {
  return (['enforced', 'shadow'] as const).map((side) => decideByRbac(filter, side, wire).action);
}

interface RbacVector {
  readonly policies: readonly unknown[];
  readonly clients: readonly { readonly tags: Labels; readonly decision: string }[];
}

describe('the verdicts of the real Kuma, from compiled rules', () => {
  const entries = JSON.parse(readFileSync(new URL('../../../test/reference/from-decisions.json', import.meta.url), 'utf8')) as RbacVector[];
  const sides: Readonly<Record<string, readonly string[]>> = {
    Allow: ['Allow', 'Allow'],
    AllowWithShadowDeny: ['Allow', 'Deny'],
    Deny: ['Deny', 'Deny'],
  };
  const tags = { 'kuma.io/service': 'backend', app: 'backend', env: 'prod', 'kuma.io/zone': 'east' };
  const inbound = [{ port: 8080, tags }];
  const backend = givenResource(
    { type: 'Dataplane', mesh: 'default', name: 'backend-1', labels: { app: 'backend' }, networking: { address: '127.0.0.1', inbound } },
    'dataplane',
  );
  for (const [index, { policies, clients }] of entries.entries()) {
    it(`set ${index}`, () => {
      const resources = policies.map((policy) => givenResource(policy, 'policy'));
      for (const form of ['trees', 'list'] as const) {
        const compiled = compile(resources, backend, form);
        for (const { tags: client, decision } of clients) {
          assert.deepEqual(verdicts(compiled, { sans: sansOf('default', client) }), sides[decision]);
        }
      }
    });
  }

  it('are eighty', () => assert.equal(entries.length, 80));
});

const backend = dataplane({ tags: { 'kuma.io/service': 'backend' } });

describe('the worked RBAC of docs/design/sources.md#permission', () => {
  const east = { kind: 'MeshSubset', tags: { 'kuma.io/zone': 'us-east' } };
  const policies = [
    // Called `global` in the source, and before `global-2`: the lesser name comes last, so that here it is called
    // `global-9`.
    permission('global-9', { targetRef: { kind: 'Mesh' }, ...fromList([{ kind: 'Mesh' }, 'DENY']) }),
    permission('global-2', { targetRef: { kind: 'Mesh' }, ...fromList([east, 'DENY_WITH_SHADOW_ALLOW']) }),
    permission('backend', {
      targetRef: { kind: 'MeshService', name: 'backend' },
      ...fromList(
        [{ kind: 'MeshSubset', tags: { env: 'dev' } }, 'ALLOW'],
        [{ kind: 'MeshService', name: 'web' }, 'ALLOW_WITH_SHADOW_DENY'],
      ),
    }),
  ];
  // The source's principals: of its rules six, of its shadow rules one. Its shadow is only what a shadow action says;
  // ours is the whole decision.
  const rules: readonly (readonly [zone: string, env: string, service: string, enforced: string, shadow: string])[] = [
    ['us-east', 'dev', 'api', 'Allow', 'Allow'],
    ['us-east', 'prod', 'api', 'Deny', 'Allow'],
    ['us-west', 'dev', 'api', 'Allow', 'Allow'],
    ['us-west', 'prod', 'api', 'Deny', 'Deny'],
    ['us-east', 'dev', 'web', 'Allow', 'Deny'],
    ['us-east', 'prod', 'web', 'Allow', 'Deny'],
    ['us-west', 'dev', 'web', 'Allow', 'Deny'],
    ['us-west', 'prod', 'web', 'Allow', 'Deny'],
  ];
  for (const protocol of ['http', 'tcp'] as const) {
    const compiled = compile(policies, backend, 'trees', protocol);
    for (const [zone, env, service, ...expected] of rules) {
      it(`${protocol}: zone ${zone}, env ${env}, service ${service}: ${expected.join(', shadow ')}`, () => {
        const sans = sansOf('default', { 'kuma.io/zone': zone, env, 'kuma.io/service': service });
        for (const order of [sans, sans.toReversed()]) assert.deepEqual(verdicts(compiled, { sans: order }), expected);
      });
    }
  }
});

const TD = 'spiffe://trust-domain.mesh';

describe('the worked RBAC of docs/design/sources.md#spiffe', () => {
  const policies = [
    permission('by-mesh-operator', { targetRef: {}, default: { deny: [exact(`${TD}/ns/default/sa/frontend`)] } }),
    permission('by-service-owner', {
      targetRef: {},
      default: {
        deny: [exact(`${TD}/ns/default/sa/api-gateway`)],
        allowWithShadowDeny: [prefix(`${TD}/ns/legacy`)],
        allow: [prefix(`${TD}/`)],
      },
    }),
  ];
  const clients: readonly (readonly [id: string, enforced: string, shadow: string, kri: string])[] = [
    [`${TD}/ns/default/sa/frontend`, 'Deny', 'Deny', 'kri_mtp_default___by-mesh-operator_'],
    [`${TD}/ns/default/sa/api-gateway`, 'Deny', 'Deny', 'kri_mtp_default___by-service-owner_'],
    [`${TD}/ns/legacy/sa/x`, 'Allow', 'Deny', 'kri_mtp_default___by-service-owner_'],
    [`${TD}/ns/default/sa/backend`, 'Allow', 'Allow', 'kri_mtp_default___by-service-owner_'],
    [`${TD}/ns/legacyish/sa/x`, 'Allow', 'Allow', 'kri_mtp_default___by-service-owner_'],
    ['spiffe://trust-domain.mesh.evil/ns/default/sa/backend', 'Deny', 'Deny', 'nobody-allows'],
  ];
  for (const protocol of ['http', 'tcp'] as const) {
    for (const form of ['trees', 'list'] as const) {
      const compiled = compile(policies, backend, form, protocol);
      for (const [id, enforced, shadow, kri] of clients) {
        it(`${protocol}, as ${form}: ${id}: ${enforced}, shadow ${shadow}`, () => {
          assert.deepEqual(verdicts(compiled, { sans: [id], method: 'GET', path: '/' }), [enforced, shadow]);
          assert.equal(decideByRbac(compiled.filter, 'enforced', { sans: [id], method: 'GET', path: '/' }).name, kri);
        });
      }
    }
  }
});
