import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Scope } from '../harness/scope.ts';
import { ask, type TestedApi, type AnyJson, newApi, WEST } from './harness.ts';

/** What nobody enforces is told where somebody looks: in `can`, and in what policies come to on a proxy. */

const scope = new Scope();
after(() => scope.close());

const allowAll = {
  type: 'MeshTrafficPermission',
  mesh: 'default',
  name: 'open',
  spec: { targetRef: { kind: 'Mesh' }, rules: [{ default: { allow: [{ spiffeID: { type: 'Prefix', value: 'spiffe://default' } }] } }] },
};
const retries = {
  type: 'MeshRetry',
  mesh: 'default',
  name: 'r',
  spec: { to: [{ targetRef: { kind: 'Mesh' }, default: { tcp: { maxConnectAttempt: 2 } } }] },
};
const proxy = (name: string, networking: object) => ({
  type: 'Dataplane',
  mesh: 'default',
  name,
  networking: { address: '10.0.0.1', ...networking },
});
const gateway = {
  type: 'MeshGateway',
  mesh: 'default',
  name: 'edge',
  selectors: [{ match: { 'kuma.io/service': 'edge' } }],
  conf: { listeners: [{ port: 80, protocol: 'HTTP' }] },
};
const inbound = (more: object = {}) => ({ port: 8080, tags: { 'kuma.io/service': 's', 'kuma.io/protocol': 'http' }, ...more });
const tags = { 'kuma.io/service': 'edge' };

const PLACES: readonly (readonly [title: string, networking: object, reason: RegExp | undefined, decision?: string])[] = [
  ['a sidecar', { inbound: [inbound()] }, undefined],
  // Its callers show no certificate.
  ['a builtin gateway', { gateway: { type: 'BUILTIN', tags } }, undefined, 'Deny'],
  ['a delegated gateway', { gateway: { type: 'DELEGATED', tags } }, /not BUILTIN has listeners of its own, which are not served/],
  [
    'a builtin gateway without listeners',
    { gateway: { type: 'BUILTIN', tags: { 'kuma.io/service': 'x' } } },
    /no MeshGateway with listeners/,
    'Deny',
  ],
  ['an inbound on a host name', { address: 'web.example', inbound: [inbound()] }, /its address is no IP address/, 'Deny'],
  ['no inbound at all', {}, /no inbound that could be served/],
];

async function zoneWith(...documents: object[]): Promise<TestedApi> {
  const api = newApi(scope, WEST);
  const { status, body } = await ask(api, 'POST', '/apply', documents);
  assert.equal(status, 200, JSON.stringify(body));
  return api;
}

async function can(api: TestedApi): Promise<AnyJson> {
  return (await ask(api, 'POST', '/can', { from: { spiffeId: 'spiffe://default/a' }, to: { dataplane: 'd' } })).body;
}

describe('where nothing is enforced', () => {
  for (const [title, networking, reason, decision = 'Allow'] of PLACES) {
    it(`${title}: can and inspection say ${reason ? 'so' : 'that it is'}`, async () => {
      const api = await zoneWith(allowAll, gateway, proxy('d', networking));
      const answer = await can(api);
      assert.deepEqual([answer.decision, answer.enforced], [decision, reason === undefined]);
      if (reason) assert.match(answer.reason, reason);
      const { warnings } = (await ask(api, 'GET', '/meshes/default/dataplanes/d/_policies')).body;
      const told = warnings.filter((warning: string) => warning.includes('nothing is enforced there'));
      assert.equal(told.length, reason ? 1 : 0, warnings.join());
      if (reason) assert.match(told.join(), reason);
    });
  }
});

describe('what is not enforced', () => {
  const access = { action: 'deny', from: [{ workloadSelector: {} }], to: [{ workloadSelector: {} }] };
  it('of access policies is told by can and by inspection', async () => {
    const policy = { type: 'AccessPolicy', mesh: 'default', name: 'a', spec: access };
    const api = await zoneWith(allowAll, proxy('d', { inbound: [inbound()] }), policy, { ...policy, type: 'PrivilegedAccessPolicy' });
    const inspected = (await ask(api, 'GET', '/meshes/default/dataplanes/d/_policies')).body;
    for (const { warnings } of [await can(api), inspected]) {
      assert.match(
        warnings.join('\n'),
        /^inbound \S+: access policies say who may enter \(kri_pap_\S+, kri_ap_\S+\): permissions that allow open nothing there, and about each call of other zones Envoy asks the zone \(ext_authz\), which wants an access token$/m,
      );
    }
  });

  it('of the kinds that select a proxy is told in one line, and with the rules of each', async () => {
    const api = await zoneWith(
      allowAll,
      retries,
      { ...retries, type: 'MeshMetric', spec: { default: {} } },
      proxy('d', { inbound: [inbound()] }),
    );
    const { warnings } = (await ask(api, 'GET', '/meshes/default/dataplanes/d/_policies')).body;
    assert.deepEqual(warnings, ['matched and shown, and not enforced: MeshMetric, MeshRetry']);
    const { rules } = (await ask(api, 'GET', '/meshes/default/dataplanes/d/_rules')).body;
    const said = Object.fromEntries(rules.map(({ type, warnings: told }: AnyJson) => [type, told.length]));
    assert.deepEqual(said, { MeshMetric: 1, MeshRetry: 1, MeshTrafficPermission: 0 });
  });

  it('of one policy is told as apply tells it', async () => {
    const policy = { type: 'AccessPolicy', mesh: 'default', name: 'a', spec: access };
    const api = await zoneWith(allowAll, retries, policy);
    const answers = await Promise.all(
      ['meshtrafficpermissions/open', 'meshretries/r', 'accesspolicies/a'].map((path) =>
        ask(api, 'GET', `/meshes/default/${path}/_enforcement`),
      ),
    );
    assert.deepEqual(
      answers.map(({ body }) => [body.enforced, body.warnings.length]),
      [
        ['yes', 0],
        ['no', 1],
        ['partly', 1],
      ],
    );
    assert.equal((await ask(api, 'GET', '/meshes/default/meshretries/nope/_enforcement')).status, 404);
  });
});
