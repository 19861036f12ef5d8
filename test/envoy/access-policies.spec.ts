import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../src/resource/resource.ts';
import { httpCaller, tcpCaller } from '../harness/caller.ts';
import type { IssuedCertificate } from '../harness/certificates.ts';
import { type EnforcingZone, lists, permission, startEnforcingZone } from '../harness/enforcing-zone.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';

/** Access policies before a real Envoy that a real zone feeds, with callers that have certificates of their own. */

const scope = new Scope();
after(() => scope.close());

const HOME = 'spiffe://default.east.mesh.local/ns';
const SEED = Number(process.env.MERIDIAN_AGREEMENT_SEED ?? 1);
const ROUNDS = Number(process.env.MERIDIAN_AGREEMENT_ROUNDS ?? 8);

let served: EnforcingZone;
const certificates = new Map<string, IssuedCertificate>();

before(async () => {
  served = await startEnforcingZone(scope, { web: 'http', db: 'tcp', api: 'http', cache: 'tcp' });
  await served.apply(service('web', 'gold'), service('db', 'gold'), service('api', 'tin'));
});

const meta = (name: string, namespace: string | undefined, labels: object = {}) => ({
  name,
  namespace,
  labels: { 'kuma.io/mesh': 'default', ...labels },
});
const caller = (name: string, namespace: string, labels: object): object => {
  const networking = { address: '10.0.0.1', inbound: [{ port: 80, tags: { 'kuma.io/service': name } }] };
  return { apiVersion: 'kuma.io/v1alpha1', kind: 'Dataplane', metadata: meta(name, namespace, labels), spec: { networking } };
};
/** Of the namespace of the proxy; the inbound `cache` has none. */
function service(name: string, tier: string): object {
  const spec = { selector: { dataplaneTags: { 'kuma.io/service': name } }, ports: [{ port: 80, targetPort: name }] };
  return { apiVersion: 'kuma.io/v1alpha1', kind: 'MeshService', metadata: meta(name, 'shop', { tier }), spec };
}
const access = (kind: string, name: string, spec: object, labels: object = {}): object => ({
  apiVersion: 'clusterlink.net/v1alpha1',
  kind,
  metadata: meta(name, kind === 'AccessPolicy' ? 'shop' : undefined, labels),
  spec,
});
const having = (matchLabels: object) => ({ workloadSelector: { matchLabels } });
const SHADOW = { 'kuma.io/effect': 'shadow' };

async function certificate(...ids: string[]): Promise<IssuedCertificate> {
  const name = ids.join().replaceAll(/[^a-z0-9]/g, '-');
  const known = certificates.get(name) ?? (await served.authority.issue(name, ids));
  certificates.set(name, known);
  return known;
}

/** What the Envoy answers at an inbound to somebody with these SANs. */
async function enters(inbound: string, ids: readonly string[], asked: { method: string; path: string }): Promise<'Allow' | 'Deny'> {
  const files = await certificate(...ids);
  if (inbound === 'db' || inbound === 'cache')
    return (await tcpCaller(scope, served.port(inbound), files).say('x')) === 'x' ? 'Allow' : 'Deny';
  const { status } = await httpCaller(scope, served.port(inbound), files).ask(asked);
  assert.ok(status === 200 || status === 403, String(status));
  return status === 200 ? 'Allow' : 'Deny';
}

async function can(
  inbound: string,
  ids: readonly string[],
  asked: object = {},
): Promise<{ decision: string; decidedBy: string | null; reason: string }> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ from: { spiffeIds: ids }, to: { dataplane: 'backend-1.shop', port: inbound }, ...asked });
  const response = await fetch(`${served.zone.url}/can`, { method: 'POST', headers, body });
  assert.equal(response.status, 200);
  return (await response.json()) as { decision: string; decidedBy: string | null; reason: string };
}

const GET = { method: 'GET', path: '/' };

async function untilStatus(inbound: string, id: string, decision: 'Allow' | 'Deny'): Promise<number> {
  const began = performance.now();
  await until(`${id} is answered ${decision} at ${inbound}`, async () => (await enters(inbound, [id], GET)) === decision);
  assert.equal((await can(inbound, [id])).decision, decision);
  return Math.round(performance.now() - began);
}

describe('the user stories of the seed', () => {
  const FRONT = `${HOME}/front/dataplane/f-1`;
  const OTHER = `${HOME}/other/dataplane/o-1`;

  it('by namespace and labels: 403, then 200, and 403 within a second of a label that changes', async (test) => {
    await served.apply(caller('f-1', 'front', { role: 'web' }), caller('o-1', 'other', { role: 'web' }));
    await untilStatus('web', FRONT, 'Deny');
    const from = [having({ 'k8s:ns': 'front', 'k8s:label:role': 'web' })];
    await served.apply(access('AccessPolicy', 'story', { action: 'allow', from, to: [having({ 'service:name': 'web' })] }));
    await untilStatus('web', FRONT, 'Allow');
    assert.equal((await can('web', [FRONT])).decidedBy, 'kri_ap_default_east_shop_story_');
    // The same label in another namespace is somebody else's.
    await untilStatus('web', OTHER, 'Deny');
    await served.apply(caller('f-1', 'front', { role: 'batch' }));
    test.diagnostic(`403 after ${await untilStatus('web', FRONT, 'Deny')} ms`);
    await served.apply(caller('f-1', 'front', { role: 'web' }));
    await untilStatus('web', FRONT, 'Allow');
    // Who has the certificate still, and the Dataplane no more, is nobody.
    assert.equal((await fetch(`${served.zone.url}/meshes/default/dataplanes/f-1.front`, { method: 'DELETE' })).status, 200);
    await untilStatus('web', FRONT, 'Deny');
    assert.match((await can('web', [FRONT])).reason, /no proxy of this zone has this identity/);
  });

  it('by validated image: a veto of the operator, whatever owners and permissions allow', async () => {
    const images = (text: string) => caller('f-1', 'front', { role: 'web', 'meridian.io/container-images': text });
    const all = lists({ allow: [{ spiffeId: { type: 'Prefix', value: HOME } }] });
    await served.apply(images('registry.example/front:1.4'), permission('story', 'web', all));
    await untilStatus('web', FRONT, 'Allow');
    const selector = { matchExpressions: [{ key: 'k8s:container-image', operator: 'NotIn', values: ['registry.example/front:1.4'] }] };
    const veto = { action: 'deny', from: [{ workloadSelector: selector }], to: [having({ 'k8s:label:tier': 'gold' })] };
    await served.apply(access('PrivilegedAccessPolicy', 'validated', veto));
    await served.apply(images('registry.example/front:1.3'));
    await untilStatus('web', FRONT, 'Deny');
    assert.equal((await can('web', [FRONT])).decidedBy, 'kri_pap_default_east__validated_');
    await served.apply(images('registry.example/front:1.4'));
    await untilStatus('web', FRONT, 'Allow');
  });

  it('a policy that denies everything denies everything, at once', async () => {
    const everybody = [{ workloadSelector: {} }];
    await served.apply(access('PrivilegedAccessPolicy', 'nobody', { action: 'deny', from: everybody, to: everybody }));
    for (const inbound of ['web', 'db', 'api', 'cache']) await untilStatus(inbound, FRONT, 'Deny');
    await served.apply(access('PrivilegedAccessPolicy', 'nobody', { action: 'deny', from: everybody, to: everybody }, SHADOW));
    await untilStatus('web', FRONT, 'Allow');
  });
});

/** Policies of all kinds by name: one that is left out is there as a shadow, which says nothing. */
const IDS = ['a', 'b', 'c'].map((name) => `${HOME}/front/dataplane/${name}`);
const [A = '', B = '', C = ''] = IDS;
const SA = `${HOME}/front/sa/one`;
const ASKING: readonly (readonly string[])[] = [[A], [B], [C], [SA], ['spiffe://default.west.mesh.local/ns/front/dataplane/a'], [A, B]];

const selected = (keys: Readonly<Record<string, readonly string[]>>): fc.Arbitrary<JsonObject[]> =>
  fc
    .array(
      fc.constantFrom(...Object.entries(keys)).chain(([key, values]) =>
        fc.oneof(
          fc.constantFrom(...values).map((value) => ({ matchLabels: { [key]: value } })),
          fc.constantFrom(...values).map((value) => ({ matchExpressions: [{ key, operator: 'NotIn', values: [value] }] })),
          fc.constant({}),
        ),
      ),
      { minLength: 1, maxLength: 2 },
    )
    .map((selectors) => selectors.map((workloadSelector): JsonObject => ({ workloadSelector })));
const accessSpec = fc.record({
  action: fc.constantFrom('allow', 'deny'),
  from: selected({ 'k8s:label:role': ['x', 'y'], 'k8s:label:app': ['x', 'y'], 'k8s:pod': ['a', 'b'] }),
  to: selected({ 'service:name': ['web', 'db', 'cache'], 'k8s:label:tier': ['gold', 'tin'] }),
});
const matcher = fc.record({
  spiffeId: fc.constantFrom(
    { type: 'Exact', value: A },
    { type: 'Exact', value: SA },
    { type: 'Prefix', value: HOME },
    { type: 'Prefix', value: 'spiffe://default.west.mesh.local' },
  ),
  path: fc.option(fc.constant({ type: 'Prefix', value: '/admin' }), { nil: undefined, freq: 2 }),
});
const few = fc.array(matcher, { maxLength: 1 });
const shape = fc.oneof(
  fc.record({ deny: few, allow: fc.tuple(matcher, matcher), allowWithShadowDeny: few }).map((given) => lists(given)),
  fc.constantFrom('Allow', 'Deny').map((action): object => ({ from: [{ targetRef: { kind: 'Mesh' }, default: { action } }] })),
);
const labels = fc.dictionary(fc.constantFrom('role', 'app'), fc.constantFrom('x', 'y'));
const round = fc.record({
  policies: fc.array(
    fc.tuple(fc.constantFrom('AccessPolicy', 'AccessPolicy', 'PrivilegedAccessPolicy'), accessSpec, fc.constantFrom(true, true, false)),
    { minLength: 4, maxLength: 4 },
  ),
  permissions: fc.array(fc.tuple(shape, fc.constantFrom('web', 'db', undefined), fc.constantFrom(true, false)), {
    minLength: 2,
    maxLength: 2,
  }),
  callers: fc.tuple(labels, labels, labels, labels, labels),
  path: fc.constantFrom('/', '/admin/x'),
});

describe('Envoy agrees with `can`', () => {
  it(`on random policies, permissions and callers, seed ${SEED}`, async (test) => {
    const counts: Record<string, number> = {};
    for (const [index, one] of fc.sample(round, { seed: SEED, numRuns: ROUNDS }).entries()) {
      const [a, b, c, d, e] = one.callers;
      const account = { 'k8s.kuma.io/service-account': 'one' };
      const kinds = ['AccessPolicy', 'PrivilegedAccessPolicy'];
      await served.apply(
        ...[caller('a', 'front', a), caller('b', 'front', b), caller('c', 'front', c)],
        ...[caller('d', 'front', { ...d, ...account }), caller('e', 'front', { ...e, ...account })],
        ...one.policies.flatMap(([kind, spec, used], at) =>
          kinds.map((other) => access(other, `p-${at}`, spec, used && kind === other ? {} : SHADOW)),
        ),
        ...one.permissions.map(([given, inbound, used], at) => withLabels(permission(`m-${at}`, inbound, given), used ? {} : SHADOW)),
        ...['story'].map((name) =>
          withLabels(permission(name, 'web', lists({ allow: [{ spiffeId: { type: 'Exact', value: A } }] })), SHADOW),
        ),
        ...[access('AccessPolicy', 'story', { action: 'allow', from: [having({})], to: [having({})] }, SHADOW)],
        ...[access('PrivilegedAccessPolicy', 'validated', { action: 'deny', from: [having({})], to: [having({})] }, SHADOW)],
      );
      const asked = { method: 'GET', path: one.path };
      for (const inbound of ['web', 'db', 'api', 'cache'])
        for (const ids of ASKING) {
          const said = await can(inbound, ids, asked);
          const what = JSON.stringify({ seed: SEED, index, inbound, ids, asked, said });
          await until(`Envoy agrees: ${what}`, async () => (await enters(inbound, ids, asked)) === said.decision, 5);
          const kind = said.decidedBy?.split('_')[1] ?? 'nobody';
          counts[`${said.decision} ${kind}`] = (counts[`${said.decision} ${kind}`] ?? 0) + 1;
        }
    }
    test.diagnostic(JSON.stringify(counts));
    for (const kind of ['Allow ap', 'Allow pap', 'Allow mtp', 'Deny ap', 'Deny pap', 'Deny mtp', 'Deny nobody'])
      assert.ok(counts[kind], `none: ${kind}`);
  });
});

function withLabels(document: object, labels: object): object {
  const { metadata } = document as { metadata: { labels: object } };
  return { ...document, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } };
}
