import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { kindOf } from '../../src/resource/kinds.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { type TestedApi, ask, EAST, type AnyJson, newApi, timeout, toMesh, toService, WEST } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const MESH = { kind: 'Mesh' };
const lists = [{ default: { allow: [{ spiffeID: { type: 'Exact', value: 'spiffe://default/a' } }] } }];
const denies = [{ default: { deny: [{ spiffeID: { type: 'Exact', value: 'spiffe://default/a' } }] } }];
const access = { action: 'allow', from: [{ workloadSelector: {} }], to: [{ workloadSelector: {} }] };
const fromAll = [{ targetRef: MESH, default: { action: 'Allow' } }];
const fromDeny = [{ targetRef: MESH, default: { action: 'Deny' } }];
const permission = (name: string, spec: object, more: object = {}) => ({
  type: 'MeshTrafficPermission',
  mesh: 'default',
  name,
  ...more,
  spec,
});
const from = (conf: object, targetRef: object = MESH) => ({ targetRef, from: [{ targetRef: MESH, default: conf }] });

/** What is warned of, as text that each must hold; what stands beside them is applied before. */
const CASES: readonly [
  title: string,
  document: { type: string; name: string; [field: string]: AnyJson },
  warnings: RegExp[],
  beside?: object[],
][] = [
  ['a permission with lists', permission('a', { targetRef: MESH, rules: lists }), []],
  ['a deny with from', permission('a', { targetRef: MESH, from: fromDeny }), [/'from' field is deprecated/]],
  [
    'an older targetRef',
    permission('a', { targetRef: { kind: 'MeshSubset', tags: { a: 'b' } }, rules: lists }),
    [/no Dataplane that it reaches has an inbound with the tags a=b/, /MeshSubset value/],
  ],
  ['a shadow', permission('a', { targetRef: MESH, rules: lists }, { labels: { 'kuma.io/effect': 'shadow' } }), [/shadow.*not enforced/]],
  ['an allow for all', permission('a', { targetRef: MESH, from: fromAll }), [/'from' field/]],
  [
    'an allow for all beside lists',
    permission('a', { targetRef: MESH, from: fromAll }),
    [/'from' field/, /opens nothing.*kri_mtp_default___z_/],
    [permission('z', { targetRef: MESH, rules: lists })],
  ],
  [
    'lists beside an allow for all',
    permission('a', { targetRef: MESH, rules: lists }),
    [/kri_mtp_default___z_ allows every client/],
    [permission('z', { targetRef: MESH, from: fromAll })],
  ],
  ['lists beside a deny', permission('a', { targetRef: MESH, rules: lists }), [], [permission('z', { targetRef: MESH, from: fromDeny })]],
  ['what is not enforced', timeout('a', undefined, toMesh('1s')), [/MeshTimeout is matched.*not enforced/]],
  ['what is deprecated and not enforced', timeout('a', undefined, from({ idleTimeout: '1s' })), [/'from' field/, /not enforced/]],
  [
    'a reference to nothing',
    timeout('a', undefined, toService('gone')),
    [/spec.to\[0\].targetRef: MeshService gone does not exist/, /not enforced/],
  ],
  ['a TLS mode', { type: 'MeshTLS', mesh: 'default', name: 'a', spec: { targetRef: MESH, rules: [{ default: { mode: 'Strict' } }] } }, []],
  [
    'a TLS version',
    permission(
      'a',
      { rules: [{ default: { tlsVersion: { min: 'TLS12' }, tlsCiphers: ['ECDHE-RSA-AES128-GCM-SHA256'] } }] },
      { type: 'MeshTLS' },
    ),
    [/tlsCiphers is kept.*not enforced/],
  ],
  ['a permission on a gateway', permission('a', { targetRef: { kind: 'MeshGateway', name: 'g' }, rules: lists }), [/"g" is not here/]],
  [
    'a permission on a route that is not there',
    permission('a', { targetRef: { kind: 'MeshHTTPRoute', name: 'nope' }, rules: lists }),
    [/spec.targetRef: MeshHTTPRoute "nope" is not here: it selects nothing/],
  ],
  [
    'a deny on one',
    permission('a', { targetRef: { kind: 'MeshHTTPRoute', name: 'nope' }, rules: denies }),
    [/"nope" is not here: until it is, its denies hold for every request/],
  ],
  [
    'labels that nothing has',
    permission('a', { targetRef: { kind: 'Dataplane', labels: { app: 'x' } }, rules: lists }),
    [/no Dataplane that it reaches has the labels app=x: it selects nothing/],
  ],
  [
    'labels in `to` that nothing has',
    timeout('a', undefined, { to: [{ targetRef: { kind: 'MeshService', labels: { app: 'x' } }, default: { idleTimeout: '1s' } }] }),
    [/spec.to\[0\].targetRef: no MeshService here has the labels app=x/, /not enforced/],
  ],
  [
    'an access policy',
    { type: 'AccessPolicy', mesh: 'default', name: 'a', spec: access },
    [/an AccessPolicy is enforced for callers of the service's own zone/],
  ],
  [
    'a privileged one',
    { type: 'PrivilegedAccessPolicy', mesh: 'default', name: 'a', spec: access },
    [/a PrivilegedAccessPolicy is enforced for callers/],
  ],
  [
    'a load-balancing policy',
    { type: 'LoadBalancingPolicy', mesh: 'default', name: 'a', spec: { scheme: 'random' } },
    [/not enforced: no proxy picks/],
  ],
  ['a MeshIdentity', { type: 'MeshIdentity', mesh: 'default', name: 'a', spec: {} }, [/a MeshIdentity is.*not enforced/]],
  [
    'a MeshTrust',
    { type: 'MeshTrust', mesh: 'default', name: 'a', spec: {} },
    [/a MeshTrust is enforced at the cross-mesh listeners of gateways alone/],
  ],
  [
    'a MeshMultiZoneService',
    { type: 'MeshMultiZoneService', mesh: 'default', name: 'a', spec: {} },
    [/a MeshMultiZoneService is.*not enforced/],
  ],
  ['a MeshGateway', { type: 'MeshGateway', mesh: 'default', name: 'a' }, []],
  [
    'a MeshGateway with a listener that is not served',
    { type: 'MeshGateway', mesh: 'default', name: 'a', conf: { listeners: [{ port: 5432, protocol: 'TCP' }] } },
    [/listener 5432 is not served: protocol TCP/],
  ],
  ['no policy at all', { type: 'Zone', name: 'a', enabled: true }, []],
];

describe('an accepted document', () => {
  for (const [title, document, expected, beside = []] of CASES) {
    it(`${title} is warned of as it should, by PUT, apply and its dry run alike`, async () => {
      const api = newApi(scope, GLOBAL);
      for (const other of beside) await put(api, other as AnyJson);
      const [dry] = (await ask(api, 'POST', '/apply?dryRun=true', [document])).body.results;
      const [applied] = (await ask(api, 'POST', '/apply', [document])).body.results;
      const said: string[] = (await put(api, document)).warnings ?? [];
      assert.equal(said.length, expected.length, JSON.stringify(said));
      for (const [index, wanted] of expected.entries()) assert.match(said[index] ?? '', wanted);
      assert.ok(
        said.every((warning) => warning.startsWith('a: ')),
        'kumactl applies many: each says of what it is',
      );
      const plain = said.map((warning) => warning.slice('a: '.length));
      assert.deepEqual([applied.warnings ?? [], dry.warnings ?? []], [plain, plain]);
    });
  }

  it('of a namespace is called as the API calls it', async () => {
    const api = newApi(scope, EAST);
    const document = timeout('slow', { 'k8s.kuma.io/namespace': 'a' }, toService('gone'));
    const { body } = await ask(api, 'PUT', '/meshes/default/meshtimeouts/slow.a', document);
    assert.match(body.warnings[0], /^slow\.a: spec\.to\[0\]\.targetRef: MeshService gone in namespace a does not exist$/);
  });

  it('selects something as soon as it is there, and no more when it is gone', async () => {
    const api = newApi(scope, WEST);
    const policy = permission('p', { targetRef: { kind: 'Dataplane', labels: { app: 'x' } }, rules: lists });
    const proxy = {
      type: 'Dataplane',
      mesh: 'default',
      name: 'd',
      labels: { app: 'x' },
      networking: { address: '127.0.0.1', inbound: [{ port: 1 }] },
    };
    const said = async () => (await put(api, policy)).warnings?.length ?? 0;
    const counts = [await said()];
    await put(api, proxy);
    counts.push(await said());
    await put(api, { ...proxy, labels: { app: 'y' } } as never);
    counts.push(await said());
    await put(api, proxy);
    counts.push(await said());
    await ask(api, 'DELETE', '/meshes/default/dataplanes/d');
    counts.push(await said());
    assert.deepEqual(counts, [1, 0, 1, 0, 1]);
  });

  it('a Dataplane of a gateway is told to be served by nobody', async () => {
    const api = newApi(scope, WEST);
    const gateway = { type: 'DELEGATED', tags: { 'kuma.io/service': 'g' } };
    const { warnings } = await put(api, {
      type: 'Dataplane',
      mesh: 'default',
      name: 'g',
      networking: { address: '127.0.0.1', gateway },
    } as never);
    assert.match(
      warnings.join(),
      /^g: a gateway that is not BUILTIN has listeners of its own, which are not served: no permission is enforced/,
    );
  });

  it('is looked at with what is written in the same request', async () => {
    const api = newApi(scope, GLOBAL);
    const documents = [permission('a', { targetRef: MESH, rules: lists }), permission('z', { targetRef: MESH, from: fromAll })];
    const { results } = (await ask(api, 'POST', '/apply', documents)).body;
    assert.deepEqual(
      results.map(({ warnings = [] }: AnyJson) => warnings.filter((warning: string) => warning.includes('opens nothing')).length),
      [1, 1],
    );
  });
});

async function put(api: TestedApi, document: { type: string; name: string }): Promise<AnyJson> {
  const path = document.type === 'Zone' ? '/zones' : `/meshes/default/${kindOf(document.type).path}`;
  const answer = await ask(api, 'PUT', `${path}/${document.name}`, document);
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  return answer.body;
}
