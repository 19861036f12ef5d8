import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import type { World } from '../simulator/world.ts';
import { type ApiAnswer, type TestedApi, apiOf, ask, EAST, newApi, newWorld, WEST, type AnyJson } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const NAMESPACE = 'k8s.kuma.io/namespace';
const MESH = { kind: 'Mesh' };
const ID = (value: string) => ({ spiffeId: { type: 'Exact', value } });

function policy(type: string, name: string, spec: object, namespace?: string, more: object = {}) {
  const labels = { ...more, ...(namespace ? { [NAMESPACE]: namespace } : {}) };
  return { type, mesh: 'default', name, ...(Object.keys(labels).length > 0 ? { labels } : {}), spec };
}

function dataplane(name: string, namespace?: string) {
  const tags = { 'kuma.io/service': name, 'kuma.io/protocol': 'http' };
  const labels = { app: name, ...(namespace ? { [NAMESPACE]: namespace } : {}) };
  return { type: 'Dataplane', mesh: 'default', name, labels, networking: { address: '127.0.0.1', inbound: [{ port: 8080, tags }] } };
}

const to = (ref: object, idleTimeout: string) => ({ to: [{ targetRef: ref, default: { idleTimeout } }] });
const allow = (...ids: string[]) => ({ default: { allow: ids.map(ID) } });
const service = (name: string, namespace: string) =>
  policy(
    'MeshService',
    name,
    { selector: { dataplaneTags: { 'kuma.io/service': name } }, ports: [{ port: 80, targetPort: 8080, appProtocol: 'http' }] },
    namespace,
  );

/** Who applies what. East is a kubernetes zone with tenants `a` and `b`, west a universal zone. */
const APPLIED: readonly (readonly [zone: string, ...documents: object[]])[] = [
  ['', policy('MeshTimeout', 'all', to(MESH, '1s')), policy('MeshTrafficPermission', 'all', allow('spiffe://td/all'))],
  [
    'east',
    ...['a', 'b'].flatMap((namespace) => [dataplane('web', namespace)]),
    service('web', 'a'),
    policy('MeshTimeout', 'producer', to({ kind: 'MeshService', name: 'web' }, '2s'), 'a'),
    policy('MeshTimeout', 'consumer', to(MESH, '3s'), 'a'),
    policy('MeshTrafficPermission', 'owner', allow('spiffe://td/owner'), 'a'),
    policy(
      'MeshTrafficPermission',
      'by-labels',
      { targetRef: { kind: 'Dataplane', labels: { app: 'web' } }, ...allow('spiffe://td/labels') },
      'a',
    ),
    policy(
      'MeshTrafficPermission',
      'by-tags',
      { targetRef: { kind: 'MeshSubset', tags: { 'kuma.io/service': 'web' } }, ...allow('spiffe://td/tags') },
      'a',
    ),
    policy('MeshTrafficPermission', 'system', allow('spiffe://td/system')),
    policy('MeshTrafficPermission', 'shadow', allow('spiffe://td/shadow'), 'b', { 'kuma.io/effect': 'shadow' }),
  ],
  ['west', dataplane('web'), policy('MeshTimeout', 'west', to(MESH, '4s'))],
];

const PROXIES = { a: 'kri_dp_default_east_a_web_', b: 'kri_dp_default_east_b_web_', west: 'kri_dp_default_west__web_' };
const TIMEOUTS: Readonly<Record<string, readonly string[]>> = {
  a: ['kri_mt_default___all_', 'kri_mt_default_east_a_producer_', 'kri_mt_default_east_a_consumer_'],
  b: ['kri_mt_default___all_', 'kri_mt_default_east_a_producer_'],
  west: ['kri_mt_default___all_', 'kri_mt_default_west__west_', 'kri_mt_default_east_a_producer_'],
};
const OF_A = ['owner', 'by-labels', 'by-tags'].map((name) => `kri_mtp_default_east_a_${name}_`);
const PERMISSIONS: Readonly<Record<string, readonly string[]>> = {
  a: ['kri_mtp_default___all_', 'kri_mtp_default_east_kuma-system_system_', ...OF_A],
  b: ['kri_mtp_default___all_', 'kri_mtp_default_east_kuma-system_system_'],
  west: ['kri_mtp_default___all_'],
};

describe('policies of every role', () => {
  let world: World;
  const apis = new Map<string, TestedApi>();
  before(async () => {
    world = newWorld();
    for (const [zone, ...documents] of APPLIED) {
      const { status, body } = await ask(apiOf(scope, world.node(zone)), 'POST', '/apply', documents);
      assert.equal(status, 200, JSON.stringify(body));
      world.node(zone).write(() => undefined);
      world.run(5_000);
    }
    for (const zone of ['', 'east', 'west']) apis.set(zone, apiOf(scope, world.node(zone)));
  });

  async function get(zone: string, path: string): Promise<ApiAnswer> {
    const api = apis.get(zone) ?? assert.fail();
    const answer = await ask(api, 'GET', path);
    assert.deepEqual([answer.status, api.errors], [200, []], JSON.stringify(answer.body));
    return answer;
  }
  const sorted = (texts: Iterable<string>) => [...texts].sort();

  for (const [proxy, kri] of Object.entries(PROXIES)) {
    for (const zone of ['', proxy === 'west' ? 'west' : 'east']) {
      it(`are shown on the proxy of ${proxy} by ${zone || 'global'}, and no others`, async () => {
        const path = `/meshes/default/dataplanes/${kri}`;
        const whole = (await get(zone, `${path}/_policies`)).body.policies.find(({ kind }: AnyJson) => kind === 'MeshTrafficPermission');
        assert.deepEqual(sorted(whole.origins.map((origin: AnyJson) => origin.kri)), sorted(PERMISSIONS[proxy] ?? []));
        assert.equal(whole.conf.allow.length, PERMISSIONS[proxy]?.length);

        const inbound = (await get(zone, `${path}/_inbounds/${kri}8080/_policies`)).body.policies;
        const [permissions] = inbound.filter(({ kind }: AnyJson) => kind === 'MeshTrafficPermission');
        assert.deepEqual(sorted(permissions.rules.map((rule: AnyJson) => rule.kri)), sorted(PERMISSIONS[proxy] ?? []));

        const { rules } = (await get(zone, `${path}/_rules`)).body;
        const kris = (type: string) => {
          const entry = rules.find((rule: AnyJson) => rule.type === type);
          const lists = [...entry.inboundRules.flatMap((side: AnyJson) => side.rules), ...entry.toResourceRules];
          return sorted(new Set<string>(lists.flatMap(({ origin }: AnyJson) => origin.map((one: AnyJson) => one.resourceMeta.kri))));
        };
        assert.deepEqual(kris('MeshTimeout'), sorted(TIMEOUTS[proxy] ?? []));
        assert.deepEqual(kris('MeshTrafficPermission'), sorted(PERMISSIONS[proxy] ?? []));
        // No list names what is another namespace's or zone's.
        const text = JSON.stringify([whole, inbound, rules]);
        for (const stranger of proxy === 'a' ? [] : [...OF_A, 'kri_mt_default_east_a_consumer_'])
          assert.ok(!text.includes(stranger), stranger);
      });
    }
  }

  const selected: readonly (readonly [type: string, kri: string, proxies: readonly (keyof typeof PROXIES)[]])[] = [
    ['meshtrafficpermissions', 'kri_mtp_default___all_', ['a', 'b', 'west']],
    ['meshtrafficpermissions', 'kri_mtp_default_east_kuma-system_system_', ['a', 'b']],
    ...OF_A.map((kri) => ['meshtrafficpermissions', kri, ['a']] as const),
    ['meshtimeouts', 'kri_mt_default_east_a_consumer_', ['a']],
    ['meshtimeouts', 'kri_mt_default_east_a_producer_', ['a', 'b', 'west']],
    ['meshtimeouts', 'kri_mt_default_west__west_', ['west']],
  ];
  for (const [type, kri, proxies] of selected) {
    it(`${kri} selects ${proxies.join(', ')} as global sees it`, async () => {
      const { body } = await get('', `/meshes/default/${type}/${kri}/_resources/dataplanes`);
      assert.deepEqual(sorted(body.items.map((item: AnyJson) => item.kri)), sorted(proxies.map((proxy) => PROXIES[proxy])));
      assert.equal(body.total, proxies.length);
      const older = await get('', `/meshes/default/${type}/${kri}/dataplanes`);
      assert.equal(older.body.total, proxies.length);
      assert.deepEqual(Object.keys(older.body.items[0]), ['kind', 'dataplane', 'attachments']);
    });
  }

  it('are merged for each destination, the last in order winning', async () => {
    const { body } = await get('east', '/meshes/default/dataplanes/web.a/_rules');
    const { toResourceRules } = body.rules.find(({ type }: AnyJson) => type === 'MeshTimeout');
    const shown = toResourceRules.map(({ conf, resourceMeta, origin }: AnyJson) => [resourceMeta.type, conf[0].idleTimeout, origin.length]);
    assert.deepEqual(shown, [
      ['Mesh', '3s', 2],
      ['MeshService', '3s', 3],
    ]);
    const b = (await get('east', '/meshes/default/dataplanes/web.b/_rules')).body.rules.find(({ type }: AnyJson) => type === 'MeshTimeout');
    assert.deepEqual(
      b.toResourceRules.map(({ conf }: AnyJson) => conf[0].idleTimeout),
      ['1s', '2s'],
    );
  });

  it('that are not enforced are told', async () => {
    const { body } = await get('east', '/meshes/default/dataplanes/web.b/_policies');
    assert.match(body.warnings.join(), /kri_mtp_default_east_b_shadow_ is marked kuma.io\/effect: shadow/);
    assert.ok(!JSON.stringify(body.policies).includes('shadow'));
    const can = await ask(apis.get('east') ?? assert.fail(), 'POST', '/can', {
      from: { spiffeId: 'spiffe://td/shadow' },
      to: { dataplane: 'web.b' },
    });
    assert.equal(can.body.decision, 'Deny');
  });

  for (const [proxy, kri] of Object.entries(PROXIES)) {
    it(`decide alike on ${proxy} in its zone and at global`, async () => {
      for (const who of ['all', 'owner', 'labels', 'tags', 'system', 'shadow']) {
        const expected = (PERMISSIONS[proxy] ?? []).some((one) => one.endsWith(`${who}_`)) ? 'Allow' : 'Deny';
        for (const zone of ['', proxy === 'west' ? 'west' : 'east']) {
          const question = { from: { spiffeId: `spiffe://td/${who}` }, to: { dataplane: kri } };
          assert.equal((await ask(apis.get(zone) ?? assert.fail(), 'POST', '/can', question)).body.decision, expected, `${who} at ${zone}`);
        }
      }
    });
  }
});

describe('the shapes of Kuma', () => {
  let api: TestedApi;
  before(async () => {
    api = newApi(scope, WEST);
    const from = [
      { targetRef: MESH, default: { action: 'Deny' } },
      { targetRef: { kind: 'MeshSubset', tags: { env: 'dev' } }, default: { action: 'Allow' } },
    ];
    const documents = [
      dataplane('web'),
      dataplane('api'),
      policy('MeshService', 'web', {
        selector: { dataplaneTags: { 'kuma.io/service': 'web' } },
        ports: [{ port: 80, targetPort: 8080, appProtocol: 'http' }],
      }),
      policy('MeshTimeout', 't1', { targetRef: MESH, rules: [{ default: { idleTimeout: '1s' } }] }),
      policy('MeshTimeout', 't0', { targetRef: MESH, rules: [{ default: { connectionTimeout: '2s' } }] }),
      policy('MeshMetric', 'm', { targetRef: MESH, default: { sidecar: { includeUnused: true } } }),
      policy('MeshTrafficPermission', 'f', { targetRef: { kind: 'MeshService', name: 'api' }, from }),
      policy('MeshTrafficPermission', 'x', {
        targetRef: MESH,
        rules: [{ default: { deny: [ID('spiffe://a')] } }, { default: { allow: [ID('spiffe://b')] } }],
      }),
    ];
    const { status, body } = await ask(api, 'POST', '/apply', documents);
    assert.equal(status, 200, JSON.stringify(body));
  });
  const WEB = '/meshes/default/dataplanes/web';
  const get = async (path: string) => (await ask(api, 'GET', path)).body;

  it('_layout', async () => {
    const { labels, ...layout } = await get(`${WEB}/_layout`);
    assert.equal(labels.app, 'web');
    assert.deepEqual(layout, {
      inbounds: [{ kri: 'kri_dp_default_west__web_8080', port: 8080, protocol: 'http', proxyResourceName: 'self_inbound_dp_8080' }],
      kri: 'kri_dp_default_west__web_',
      listeners: [],
      outbounds: [{ kri: 'kri_msvc_default_west__web_80', port: 80, protocol: 'http', proxyResourceName: 'kri_msvc_default_west__web_80' }],
    });
  });

  it('_policies', async () => {
    assert.deepEqual((await get(`${WEB}/_policies`)).policies, [
      { kind: 'MeshMetric', conf: { sidecar: { includeUnused: true } }, origins: [{ kri: 'kri_mm_default_west__m_' }] },
      {
        kind: 'MeshTrafficPermission',
        conf: { deny: [ID('spiffe://a')], allow: [ID('spiffe://b')] },
        origins: [{ kri: 'kri_mtp_default_west__x_' }],
      },
    ]);
  });

  it('_inbounds/{kri}/_policies', async () => {
    const x = 'kri_mtp_default_west__x_';
    assert.deepEqual((await get(`${WEB}/_inbounds/kri_dp_default_west__web_8080/_policies`)).policies, [
      {
        kind: 'MeshTimeout',
        origins: [{ kri: 'kri_mt_default_west__t1_' }, { kri: 'kri_mt_default_west__t0_' }],
        rules: [{ conf: { idleTimeout: '1s', connectionTimeout: '2s' }, kri: 'kri_mt_default_west__t0_' }],
      },
      {
        kind: 'MeshTrafficPermission',
        origins: [{ kri: x }],
        rules: [
          { conf: { deny: [ID('spiffe://a')] }, kri: x },
          { conf: { allow: [ID('spiffe://b')] }, kri: x },
        ],
      },
    ]);
    const api = await get('/meshes/default/dataplanes/api/_inbounds/kri_dp_default_west__api_8080/_policies');
    const { rules } = api.policies.find(({ kind }: AnyJson) => kind === 'MeshTrafficPermission');
    assert.deepEqual(rules.slice(2), [
      { conf: { action: 'Deny' }, kri: 'kri_mtp_default_west__f_', targetRef: MESH },
      { conf: { action: 'Allow' }, kri: 'kri_mtp_default_west__f_', targetRef: { kind: 'MeshSubset', tags: { env: 'dev' } } },
    ]);
  });

  it('_rules', async () => {
    const { httpMatches, resource, rules } = await get('/meshes/default/dataplanes/api/_rules');
    assert.deepEqual([httpMatches, resource.type, resource.name, resource.mesh], [[], 'Dataplane', 'api', 'default']);
    assert.deepEqual(
      rules.map(({ type }: AnyJson) => type),
      ['MeshMetric', 'MeshTimeout', 'MeshTrafficPermission'],
    );
    const [metric, timeout, permission] = rules;
    assert.deepEqual([metric.proxyRule.conf, metric.proxyRule.origin[0].name], [{ sidecar: { includeUnused: true } }, 'm']);
    for (const rule of rules)
      for (const list of ['fromRules', 'inboundRules', 'toResourceRules', 'toRules', 'warnings'])
        assert.ok(Array.isArray(rule[list]), list);
    assert.deepEqual([timeout.inboundRules[0].inbound.port, timeout.inboundRules[0].rules[0].origin[1].resourceMeta.name], [8080, 't0']);
    assert.deepEqual(timeout.fromRules[0].rules[0].matchers, []);
    assert.deepEqual(
      permission.fromRules[0].rules.map(({ matchers, conf }: AnyJson) => [matchers, conf.action]),
      [
        [[], 'Deny'],
        [[{ key: 'env', not: false, value: 'dev' }], 'Allow'],
      ],
    );
    assert.deepEqual(
      permission.inboundRules[0].rules.map(({ origin }: AnyJson) => origin[0].ruleIndex),
      [0, 1],
    );
  });

  it('_overview', async () => {
    for (const path of ['/dataplanes/_overview', '/meshes/default/dataplanes/_overview']) {
      const { total, items, next } = await get(`${path}?name=we`);
      assert.deepEqual([total, next, items.length], [1, null, 1]);
      assert.deepEqual(Object.keys(items[0]), ['type', 'mesh', 'name', 'creationTime', 'modificationTime', 'labels', 'kri', 'dataplane']);
      assert.deepEqual([items[0].type, items[0].dataplane.networking.inbound[0].port], ['DataplaneOverview', 8080]);
      assert.deepEqual(await get(`${WEB}/_overview`), items[0]);
    }
  });

  it('_overview of the proxies that have tags, or are gateways', async () => {
    const filters: readonly (readonly [query: string, names: readonly string[]])[] = [
      ['tag=kuma.io/service:web', ['web']],
      ['tag=kuma.io/protocol:http', ['api', 'web']],
      ['tag=kuma.io/protocol:http&tag=kuma.io/service:api&size=1', ['api']],
      ['tag=kuma.io/service:we', []],
      ['gateway=true', []],
      ['gateway=builtin&tag=', []],
      ['gateway=false&name=api', ['api']],
    ];
    for (const [query, names] of filters) {
      const { items, total } = await get(`/meshes/default/dataplanes/_overview?${query}`);
      assert.deepEqual([items.map(({ name }: AnyJson) => name), total], [names, names.length], query);
    }
    for (const query of ['tag=web', 'tag=:x', 'gateway=maybe']) {
      assert.equal((await ask(api, 'GET', `/dataplanes/_overview?${query}`)).status, 400, query);
    }
  });

  it('the proxies of a policy, page by page, and the policies of a proxy', async () => {
    const path = '/meshes/default/meshtrafficpermissions/x/_resources/dataplanes';
    const first = await get(`${path}?size=1`);
    assert.deepEqual([first.total, first.items.length], [2, 1]);
    assert.equal((await get('/meshes/default/meshtrafficpermissions/x/_resources/dataplanes')).items.length, 2);
    const second = await get(new URL(first.next).pathname + new URL(first.next).search);
    assert.deepEqual([second.items.length, second.next], [1, undefined]);
    assert.deepEqual(Object.keys(second.items[0]).sort(), ['kri', 'labels', 'mesh', 'name', 'type']);
    assert.deepEqual(await get('/meshes/default/meshtrafficpermissions/nope/dataplanes'), { total: 0, items: [] });
    const policies = await get(`${WEB}/policies`);
    assert.deepEqual(
      [policies.kind, Object.keys(policies.items[0].matchedPolicies)],
      ['SidecarDataplane', ['MeshMetric', 'MeshTimeout', 'MeshTrafficPermission']],
    );
  });
});

describe('what is not there', () => {
  const paths: readonly (readonly [path: string, status: number])[] = [
    ['/meshes/default/dataplanes/nope/_layout', 404],
    ['/meshes/default/dataplanes/nope/_policies', 404],
    ['/meshes/default/dataplanes/nope/_rules', 404],
    ['/meshes/default/dataplanes/nope/_overview', 404],
    ['/meshes/nope/dataplanes/_overview', 404],
    ['/meshes/nope/dataplanes/x/_layout', 404],
    ['/meshes/__proto__/dataplanes/x/_rules', 404],
    ['/meshes/default/dataplanes/kri_/_layout', 400],
    ['/meshes/default/dataplanes/kri_m____default_/_layout', 404],
    ['/meshes/default/meshtimeouts/nope/_resources/dataplanes', 404],
    ['/meshes/default/meshtimeouts/kri_m____default_/_resources/dataplanes', 404],
    ['/dataplanes/_overview?size=0', 400],
    ['/meshes/default/dataplanes/_overview?size=x', 400],
  ];
  for (const place of [GLOBAL, EAST]) {
    for (const [path, status] of paths) {
      it(`${path} at ${place.zone || 'global'}: ${status}`, async () => {
        const api = newApi(scope, place);
        const answer = await ask(api, 'GET', path);
        assert.deepEqual([answer.status, answer.body.type, api.errors], [status, '/std-errors', []]);
      });
    }
  }

  it('is no inbound of another proxy', async () => {
    const api = newApi(scope, WEST);
    await ask(api, 'POST', '/apply', [dataplane('web'), dataplane('api')]);
    for (const kri of ['kri_dp_default_west__api_8080', '8080', 'kri_dp_default_west__web_']) {
      assert.equal((await ask(api, 'GET', `/meshes/default/dataplanes/web/_inbounds/${kri}/_policies`)).status, 404, kri);
    }
  });
});
