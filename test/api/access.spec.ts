import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { VerdictCounts } from '../../src/control/access/verdict-counts.ts';
import { type Draft, GLOBAL, type JsonObject } from '../../src/resource/resource.ts';
import { carry, EAST, MESH, newGlobal, newPlane, newZone, WEST } from '../harness/control-planes.ts';
import { Scope } from '../harness/scope.ts';
import { type TestedApi, apiOn, ask, type AnyJson } from './harness.ts';
import { writeDrafts } from '../harness/write-drafts.ts';

const scope = new Scope();
after(() => scope.close());

const everybody = [{ workloadSelector: {} }];
const having = (...labels: Record<string, string>[]) => labels.map((matchLabels) => ({ workloadSelector: { matchLabels } }));
const access = (name: string, spec: object, namespace = 'pay') => ({
  apiVersion: 'clusterlink.net/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name, namespace },
  spec: { action: 'allow', from: everybody, to: everybody, ...spec },
});
const veto = (name: string, spec: object) => ({
  apiVersion: 'clusterlink.net/v1alpha1',
  kind: 'PrivilegedAccessPolicy',
  metadata: { name },
  spec: { action: 'deny', from: everybody, to: everybody, ...spec },
});
const balance = (name: string, spec: object) => ({ ...access(name, {}), kind: 'LoadBalancingPolicy', spec });

const draft = (type: string, name: string, spec: JsonObject, namespace?: string, labels = {}): Draft => {
  return { type, mesh: type === 'Zone' ? '' : 'default', name, namespace, labels, spec };
};
const networking = { address: '10.0.0.1', inbound: [{ port: 8080 }] };
const service = (labels = {}) => draft('MeshService', 'ledger', { ports: [{ port: 80 }] }, 'pay', labels);

async function apply(api: TestedApi, ...documents: object[]): Promise<AnyJson> {
  const { status, body } = await ask(api, 'POST', '/apply', documents);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function who(api: TestedApi, from: object, to: object = { service: 'ledger', namespace: 'pay' }): Promise<AnyJson> {
  const { status, body } = await ask(api, 'POST', '/access', { from, to });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/**
 * East, with proxies of its own, and a service of five sites: north is disabled, south's differs, nowhere has no Zone.
 */
function east(): { readonly api: TestedApi; readonly verdicts: VerdictCounts } {
  const [NORTH, SOUTH, NOWHERE] = ['north', 'south', 'nowhere'].map((zone) => ({ ...WEST, zone })) as [
    typeof WEST,
    typeof WEST,
    typeof WEST,
  ];
  const global = newGlobal(EAST, WEST, NORTH, SOUTH, NOWHERE);
  const site = (name: string, location: string) => draft('Zone', name, { attributes: { location } });
  writeDrafts(global, [
    site('east', 'aws/us-east/vpc1'),
    site('west', 'aws/us-west'),
    site('north', 'gcp/eu'),
    site('south', 'aws/us-east'),
  ]);
  for (const [place, labels] of [
    [WEST, { tier: 'gold' }],
    [NORTH, { tier: 'gold' }],
    [SOUTH, { tier: 'tin' }],
    [NOWHERE, { tier: 'gold' }],
  ] as const) {
    const zone = newZone(place, global);
    writeDrafts(zone, [service(labels)]);
    assert.equal(carry(zone, global), 'applied');
  }
  writeDrafts(global, [draft('Zone', 'north', { enabled: false })]);
  const plane = newZone(EAST, global);
  writeDrafts(plane, [
    draft('Dataplane', 'web-1', { networking }, 'pay', { app: 'web' }),
    draft('Dataplane', 'evil-1', { networking }, 'stock', { app: 'evil' }),
    service({ tier: 'gold' }),
  ]);
  const verdicts = new VerdictCounts();
  return { api: apiOn(scope, plane, undefined, undefined, { verdicts }), verdicts };
}

describe('POST /access: a proxy and a service', () => {
  const told = ({ bindings }: AnyJson) =>
    bindings.map(({ site, allowed, decidedBy, reason }: AnyJson) => [site, allowed, decidedBy, reason]);

  it('tells which site may be reached, by whose word, and which are left out', async () => {
    const { api, verdicts } = east();
    await apply(
      api,
      access('web', { from: having({ 'k8s:label:app': 'web', 'k8s:ns': 'pay' }) }),
      veto('no-west', { to: having({ 'site:location': 'aws/us-west' }) }),
    );
    const answer = await who(api, { dataplane: 'web-1.pay' });
    assert.deepEqual(told(answer), [
      ['east', true, 'kri_ap_default_east_pay_web_', 'a policy allows it'],
      ['west', false, 'kri_pap_default_east__no-west_', 'a privileged policy denies it'],
    ]);
    assert.deepEqual(
      answer.left.map(({ site, why }: AnyJson) => [site, why]),
      [
        ['north', 'away'],
        ['nowhere', 'unknown'],
        ['south', 'declined'],
      ],
    );
    assert.match(answer.left[2].reason, /k8s:label:tier is "tin" here and "gold" there/);
    assert.deepEqual([answer.enforced, answer.allowed, answer.pick], [false, true, { scheme: 'random', policy: null, sites: ['east'] }]);
    const known = answer.caller.attributes.map(({ key, value, trust }: AnyJson) => `${key}=${value} ${trust}`);
    assert.deepEqual(known, [
      'k8s:label:app=web owner',
      'k8s:ns=pay orchestrator',
      'k8s:pod=web-1 orchestrator',
      'site:location=aws/us-east/vpc1 operator',
      'site:name=east proven',
    ]);
    assert.deepEqual(verdicts.read(), { allow: 1, deny: 1 });
    assert.deepEqual(answer.warnings, [
      'not the last word for west: where access policies select a service, Envoys deny calls of other zones without a token (POST /access/connect)',
    ]);
  });

  it('tells of declined bindings where the proxy and the services are inspected', async () => {
    const { api } = east();
    const warned = async () => (await ask(api, 'GET', '/meshes/default/dataplanes/web-1.pay/_policies')).body.warnings.filter(isDeclined);
    const isDeclined = (text: string) => text.startsWith('no call by attributes');
    assert.deepEqual(await warned(), []);
    await apply(api, access('all', {}));
    const reason = 'its attributes differ from those of the first one, of zone east: k8s:label:tier is "tin" here and "gold" there';
    assert.deepEqual(await warned(), [`no call by attributes gets to kri_msvc_default_south_pay_ledger_: ${reason}`]);
  });

  it('says which site is picked, by which policy', async () => {
    const { api } = east();
    await apply(api, access('all', {}));
    const cases: readonly (readonly [spec: object, scheme: string, sites: string[]])[] = [
      [{ scheme: 'round-robin' }, 'round-robin', ['east', 'west']],
      [{ scheme: 'static', sites: ['north', 'west', 'east'] }, 'static', ['west']],
      [{ scheme: 'attributes', attributes: ['site:location'] }, 'attributes', ['east']],
    ];
    for (const [spec, scheme, sites] of cases) {
      await apply(api, balance('lb', spec));
      assert.deepEqual((await who(api, { dataplane: 'web-1.pay' })).pick, { scheme, policy: 'kri_lbp_default_east_pay_lb_', sites });
    }
  });

  it('lets nobody in by default, and follows a label at once', async () => {
    const { api } = east();
    const none = await who(api, { dataplane: 'web-1.pay' });
    assert.deepEqual(
      [none.allowed, none.pick, none.bindings.map(({ default: byDefault }: AnyJson) => byDefault)],
      [false, null, [true, true]],
    );
    await apply(api, access('web', { from: having({ 'k8s:label:app': 'web' }) }));
    assert.equal((await who(api, { dataplane: 'evil-1.stock' })).allowed, false);
    assert.equal((await who(api, { dataplane: 'web-1.pay' })).allowed, true);
    await apply(api, {
      type: 'Dataplane',
      mesh: 'default',
      name: 'web-1',
      labels: { app: 'other', 'k8s.kuma.io/namespace': 'pay' },
      networking,
    });
    assert.equal((await who(api, { dataplane: 'web-1.pay' })).allowed, false);
  });

  it('denies before the first scan of what global has', async () => {
    const plane = newPlane(EAST);
    writeDrafts({ ...plane, place: GLOBAL }, [MESH]);
    const joined = apiOn(scope, plane, { view: () => assert.fail('not asked'), peers: () => [], ended: () => undefined });
    await apply(joined, access('all', {}));
    const answer = await who(joined, { attributes: { 'k8s:ns': 'pay' } }, { attributes: { 'service:name': 'ledger' }, namespace: 'pay' });
    assert.deepEqual([answer.allowed, /first scan/.test(answer.bindings[0].reason)], [false, true]);
  });

  it('is 404 for a proxy or a mesh that is not there', async () => {
    const { api } = east();
    for (const body of [
      { from: { dataplane: 'nobody' }, to: { service: 'ledger' } },
      { mesh: 'none', from: { attributes: {} }, to: { service: 'ledger' } },
    ])
      assert.equal((await ask(api, 'POST', '/access', body)).status, 404);
  });

  const wrong: readonly (readonly [body: object, field: string])[] = [
    [{ from: {}, to: { service: 'a' } }, 'from'],
    [{ from: { dataplane: 'a', attributes: {} }, to: { service: 'a' } }, 'from'],
    [{ from: { dataplane: 'a', zone: 'east' }, to: { service: 'a' } }, 'from.zone'],
    [{ from: { attributes: {} }, to: {} }, 'to'],
    [{ from: { attributes: { 'site:geo': 'a', 'cl:site:geo': 'b' } }, to: { service: 'a' } }, 'from.attributes'],
    [{ from: { attributes: {} }, to: { attributes: { 'k8s:ns': 'a', 'export.clusterlink.net/namespace': 'b' } } }, 'to.attributes'],
    [{ from: { attributes: { 'k8s:ns': 7 } }, to: { service: 'a' } }, 'from.attributes["k8s:ns"]'],
  ];
  it('is 400 for a question that can’t be read', async () => {
    const { api } = east();
    for (const [body, field] of wrong) {
      const answer = await ask(api, 'POST', '/access', body);
      assert.deepEqual([answer.status, answer.body.invalid_parameters?.[0].field], [400, field], JSON.stringify(body));
    }
  });
});

interface Entry {
  readonly policies: readonly AnyJson[];
  readonly queries: readonly {
    readonly from: object;
    readonly to: object;
    readonly namespace: string;
    readonly allowed: boolean;
    readonly privileged: boolean;
    readonly default?: boolean;
  }[];
}

describe('POST /access: the verdicts of the real ClusterLink', () => {
  const file = new URL('../reference/access-decisions.json', import.meta.url);
  const entries = JSON.parse(readFileSync(file, 'utf8')) as Entry[];
  let api: TestedApi;
  before(() => {
    const global = newGlobal(EAST);
    api = apiOn(scope, newZone(EAST, global), undefined);
  });

  async function verdicts({ queries }: Entry): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (const { from, to, namespace } of queries) {
      const [{ allowed, privileged, default: byDefault }] = (await who(api, { attributes: from }, { attributes: to, namespace })).bindings;
      answers.push({ allowed, privileged, ...(byDefault ? { default: byDefault } : {}) });
    }
    return answers;
  }

  const expectedOf = ({ queries }: Entry) =>
    queries.map(({ allowed, privileged, default: byDefault }) => ({ allowed, privileged, ...(byDefault ? { default: true } : {}) }));

  async function remove(policies: Entry['policies']): Promise<void> {
    for (const { kind, metadata } of policies) {
      const path = kind === 'AccessPolicy' ? 'accesspolicies' : 'privilegedaccesspolicies';
      const name = kind === 'AccessPolicy' ? `${metadata.name}.${metadata.namespace}` : metadata.name;
      assert.equal((await ask(api, 'DELETE', `/meshes/default/${path}/${name}`)).status, 200);
    }
  }

  it('are the same in any order of the policies, in one body or one by one', async () => {
    const shuffled = fc
      .constantFrom(...entries)
      .chain((entry) =>
        fc.tuple(fc.constant(entry), fc.shuffledSubarray([...entry.policies], { minLength: entry.policies.length }), fc.boolean()),
      );
    await fc.assert(
      fc.asyncProperty(shuffled, async ([entry, policies, atOnce]) => {
        for (const body of atOnce ? [policies] : policies.map((one) => [one])) await apply(api, ...body);
        assert.deepEqual(await verdicts(entry), expectedOf(entry));
        await remove(policies);
      }),
      { numRuns: 30 },
    );
  });

  it('are those of all sixty sets, in whatever order the policies come', async () => {
    assert.equal(entries.length, 60);
    for (const [index, entry] of entries.entries()) {
      const expected = expectedOf(entry);
      for (const policies of [entry.policies, entry.policies.toReversed()]) {
        for (const one of policies) await apply(api, one);
        assert.deepEqual(await verdicts(entry), expected, `set ${index}`);
        await remove(policies);
      }
    }
  });
});
