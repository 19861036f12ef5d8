import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { turns } from '../../src/control/plane/long-turns.ts';
import { Scope } from '../harness/scope.ts';
import { type AnyJson, ask, newApi, type TestedApi, WEST } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const TD = 'spiffe://default';
const exact = (value: string) => ({ spiffeId: { type: 'Exact', value } });
const prefix = (value: string) => ({ spiffeId: { type: 'Prefix', value } });
const permission = (name: string, conf: object, targetRef?: object) => ({
  type: 'MeshTrafficPermission',
  mesh: 'default',
  name,
  spec: { ...(targetRef ? { targetRef } : {}), ...conf },
});

function dataplane(name: string, service: string, protocol: string, gateway = false) {
  const tags = { 'kuma.io/service': service, 'kuma.io/protocol': protocol };
  const inbound = [
    { port: 8080, name: 'main', tags },
    { port: 9090, tags: { ...tags, side: 'admin' } },
  ];
  const listening = gateway ? { gateway: { type: 'DELEGATED', tags } } : { inbound };
  return { type: 'Dataplane', mesh: 'default', name, labels: { app: service }, networking: { address: '127.0.0.1', ...listening } };
}

async function meshWith(...documents: object[]): Promise<TestedApi> {
  const api = newApi(scope, WEST);
  const { status, body } = await ask(api, 'POST', '/apply', documents);
  assert.equal(status, 200, JSON.stringify(body));
  return api;
}

async function get(api: TestedApi, query = ''): Promise<AnyJson> {
  const { status, body } = await ask(api, 'GET', `/meshes/default/_matrix?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const MATCHERS = [
  exact(`${TD}/ns/a/sa/x`),
  prefix(`${TD}/ns/a`),
  prefix(TD),
  { method: 'GET' },
  { ...prefix(`${TD}/ns/b`), path: { type: 'Prefix', value: '/admin' } },
  { ...exact(`${TD}/ns/b/sa/y`), method: 'POST' },
  exact('spiffe://default.west.mesh.local/dataplane/web-1'),
];
const lists = fc.record({
  deny: fc.subarray(MATCHERS, { maxLength: 2 }),
  allow: fc.subarray(MATCHERS, { maxLength: 2 }),
  allowWithShadowDeny: fc.subarray(MATCHERS, { maxLength: 2 }),
});
const conf = fc.oneof(
  lists.filter((all) => Object.values(all).some((list) => list.length > 0)).map((all) => ({ default: all })),
  fc
    .record({
      from: fc.constantFrom({ kind: 'Mesh' }, { kind: 'MeshSubset', tags: { 'kuma.io/service': 'web' } }),
      action: fc.constantFrom('Allow', 'Deny', 'AllowWithShadowDeny'),
    })
    .map(({ from, action }) => ({ from: [{ targetRef: from, default: { action } }] })),
);
const target = fc.constantFrom(
  undefined,
  { kind: 'Dataplane', labels: { app: 'web' } },
  { kind: 'Dataplane', sectionName: 'main' },
  {
    kind: 'MeshSubset',
    tags: { side: 'admin' },
  },
);
/** None, or some that select a service of the mesh, or all. */
const access = fc.oneof(
  fc.constant([]),
  fc.array(
    fc
      .record({
        type: fc.constantFrom('AccessPolicy', 'PrivilegedAccessPolicy'),
        action: fc.constantFrom('allow', 'deny'),
        from: fc.constantFrom({}, { 'k8s:label:app': 'web' }),
        to: fc.constantFrom({}, { 'service:name': 'db' }, { 'service:name': 'web' }),
      })
      .map(({ type, action, from, to }) => {
        const items = (matchLabels: object) => [{ workloadSelector: { matchLabels } }];
        return { type, spec: { action, from: items(from), to: items(to) } };
      }),
    { minLength: 1, maxLength: 3 },
  ),
);
const REQUESTS = [
  { method: 'GET', path: '/' },
  { method: 'POST', path: '/admin/x' },
  { method: 'PUT', path: '/y' },
  { method: 'POST', path: '/' },
  { method: 'GET', path: '/admin' },
];
const LETTERS: Readonly<Record<string, string>> = { A: 'Allow Allow', D: 'Deny Deny', a: 'Allow Deny', d: 'Deny Allow' };

describe('GET /meshes/{mesh}/_matrix', () => {
  it('says in each cell what `can` says, of meshes and permissions as they come', async () => {
    const documents = fc.array(fc.tuple(conf, target), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(documents, access, fc.infiniteStream(fc.nat()), async (all, policies, random) => {
        const tls = { type: 'MeshTLS', mesh: 'default', name: 'open', spec: { rules: [{ default: { mode: 'Permissive' } }] } };
        const api = await meshWith(
          dataplane('web-1', 'web', 'http'),
          dataplane('api-1', 'api', 'http'),
          dataplane('db-1', 'db', 'tcp'),
          dataplane('edge', 'edge', 'http', true),
          ...(all.length % 2 === 0 ? [tls] : []),
          ...all.map(([what, ref], index) => permission(`p-${index}`, what, ref)),
          ...policies.map((policy, index) => ({ ...policy, mesh: 'default', name: `a-${index}` })),
        );
        const [matrix, byTags] = [await get(api), await get(api, 'by=tags')];
        for (const { callers, inbounds, verdicts } of [matrix, byTags])
          for (let cell = 0; cell < 20; cell++) {
            const row = (random.next().value ?? 0) % callers.items.length;
            const column = (random.next().value ?? 0) % inbounds.items.length;
            await compare(api, verdicts[row][column], callers.items[row], inbounds.items[column]);
          }
      }),
      { numRuns: 8 },
    );
  });

  it('has who is named, everybody else, nobody, and the proxies; columns by zone and service; gateways listen nowhere of ours', async () => {
    const api = await meshWith(
      dataplane('web-1', 'web', 'http'),
      dataplane('edge', 'edge', 'http', true),
      permission('some', { default: { deny: [prefix(`${TD}/ns/legacy`)], allow: [exact(`${TD}/any`), { ...prefix(TD), method: 'GET' }] } }),
    );
    const { callers, inbounds, verdicts } = await get(api);
    assert.deepEqual(
      callers.items.map(({ kind, name, sans }: AnyJson, row: number) => [kind, name, sans[0] ?? '', verdicts[row]]),
      [
        ['prefix', TD, `${TD}/any-`, 'pp'],
        ['identity', `${TD}/any`, `${TD}/any`, 'AA'],
        ['prefix', `${TD}/ns/legacy`, `${TD}/ns/legacy/any-`, 'DD'],
        ['other', '', 'spiffe://any-/any-', 'DD'],
        ['plaintext', '', '', 'DD'],
        ['dataplanes', 'spiffe://default.west.mesh.local/dataplane/edge', 'spiffe://default.west.mesh.local/dataplane/edge', 'DD'],
        ['dataplanes', 'spiffe://default.west.mesh.local/dataplane/web-1', 'spiffe://default.west.mesh.local/dataplane/web-1', 'DD'],
      ],
    );
    const ofProxies = callers.items.map(({ services }: AnyJson) => services).slice(-3);
    assert.deepEqual(ofProxies, [undefined, [{ zone: 'west', service: 'edge' }], [{ zone: 'west', service: 'web' }]]);
    assert.deepEqual(
      inbounds.items.map(({ kri, ...one }: AnyJson) => [kri, ...Object.values(one)]),
      [
        ['kri_dp_default_west__web-1_main', 'web-1', 'west', 'web', 'main', 'http', true],
        ['kri_dp_default_west__web-1_9090', 'web-1', 'west', 'web', '9090', 'http', true],
      ],
    );
  });

  it('is sliced and filtered by rows and columns, and is not sent again while it is the same', async () => {
    const api = await meshWith(
      dataplane('web-1', 'web', 'http'),
      dataplane('db-1', 'db', 'tcp'),
      permission('a', { default: { allow: [prefix(TD)] } }),
    );
    const whole = await get(api);
    const some = await get(api, 'callerSize=2&callerOffset=1&inboundSize=1&inboundOffset=2');
    assert.deepEqual(some.callers, { total: whole.callers.total, items: whole.callers.items.slice(1, 3) });
    assert.deepEqual(some.inbounds, { total: 4, items: whole.inbounds.items.slice(2, 3) });
    assert.deepEqual(
      some.verdicts,
      whole.verdicts.slice(1, 3).map((row: string) => row.slice(2, 3)),
    );
    const filtered = await get(api, 'from=DB-1&to=web&by=spiffeId');
    assert.deepEqual([filtered.callers.total, filtered.inbounds.total], [1, 2]);
    const { headers } = await ask(api, 'GET', '/meshes/default/_matrix');
    const known = { 'if-none-match': String(headers.etag) };
    assert.equal((await ask(api, 'GET', '/meshes/default/_matrix', undefined, known)).status, 304);
    await ask(api, 'POST', '/apply', [permission('b', { default: { deny: [prefix(`${TD}/ns/b`)] } })]);
    assert.equal((await ask(api, 'GET', '/meshes/default/_matrix', undefined, known)).status, 200);
  });

  it('refuses what it can not read, by field', async () => {
    const api = newApi(scope, WEST);
    for (const [query, field] of [
      ['by=me', 'by'],
      ['callerSize=1001', 'callerSize'],
      ['inboundSize=0', 'inboundSize'],
      ['callerOffset=-1', 'callerOffset'],
    ]) {
      const { status, body } = await ask(api, 'GET', `/meshes/default/_matrix?${query}`);
      assert.deepEqual([status, body.invalid_parameters[0].field], [400, field]);
    }
    assert.equal((await ask(api, 'GET', '/meshes/none/_matrix')).status, 404);
  });

  it('is made in turns of the event loop', async (t) => {
    const proxies = Array.from({ length: 300 }, (_, index) => dataplane(`web-${index}`, `web-${index % 7}`, 'http'));
    const rules = Array.from({ length: 1000 }, (_, index) =>
      permission(`p-${index}`, { default: { deny: [exact(`${TD}/ns/x/sa/${index}`)] } }),
    );
    const api = await meshWith(...proxies, ...rules);
    await get(api, 'callerSize=1');
    const began = performance.now();
    const { verdicts } = await get(api, 'callerSize=1000&inboundSize=1000');
    assert.deepEqual([verdicts.length, verdicts[0].length], [1000, 600]);
    const longest = turns.longest().filter(({ work, about }) => work === 'dry run' || about.includes('_matrix'));
    t.diagnostic(`1,000 × 600 with 1,000 policies: ${Math.round(performance.now() - began)} ms, turns ${JSON.stringify(longest)}`);
  });
});

describe('POST /can/requests', () => {
  it('tells requests apart as policies do, and names the rules', async () => {
    const admin = { ...prefix(TD), path: { type: 'Prefix', value: '/admin' } };
    const api = await meshWith(
      dataplane('web-1', 'web', 'http'),
      permission('guard', { default: { deny: [admin], allowWithShadowDeny: [prefix(TD)] } }, { kind: 'Dataplane', sectionName: 'main' }),
      permission('from', { from: [{ targetRef: { kind: 'MeshSubset', tags: { a: 'b' } }, default: { action: 'Allow' } }] }),
    );
    const { body } = await ask(api, 'POST', '/can/requests', {
      from: { spiffeId: `${TD}/ns/a/sa/x` },
      to: { mesh: 'default', dataplane: 'web-1', port: 'main' },
    });
    const GUARD = 'kri_mtp_default_west__guard_';
    assert.equal(body.enforced, true);
    assert.deepEqual(
      body.requests.map(({ when, decision, shadow, decidedBy, rule, shadowRule }: AnyJson) => [
        when,
        decision,
        shadow,
        decidedBy,
        rule?.says,
        shadowRule?.says,
      ]),
      [
        [{ path: { type: 'Prefix', value: '/admin' } }, 'Deny', 'Deny', GUARD, 'deny', 'allowWithShadowDeny'],
        [{ pathNot: [{ type: 'Prefix', value: '/admin' }] }, 'Allow', 'Deny', GUARD, 'allowWithShadowDeny', 'allowWithShadowDeny'],
        [{ noPath: true }, 'Deny', 'Deny', GUARD, 'deny', 'allowWithShadowDeny'],
      ],
    );
    assert.deepEqual(body.requests[0].rule.about, { spiffeId: { type: 'Prefix', value: TD }, path: { type: 'Prefix', value: '/admin' } });
    const tagged = await ask(api, 'POST', '/can/requests', {
      from: { tags: { 'kuma.io/service': 'x', a: 'b' } },
      to: { mesh: 'default', dataplane: 'web-1', port: '9090' },
    });
    const [only, ...others] = tagged.body.requests;
    assert.deepEqual([others, only.decision, only.rule], [[], 'Allow', { says: 'Allow', about: { kind: 'MeshSubset', tags: { a: 'b' } } }]);
    const asked = { from: { spiffeIds: [] }, to: { dataplane: 'web-1', port: 'main' }, method: 'GET' };
    assert.equal((await ask(api, 'POST', '/can/requests', asked)).status, 400);
  });
});

/** A letter and what `can` says of some requests; one that depends on them is found in their full list. */
async function compare(api: TestedApi, letter: string, caller: AnyJson, inbound: AnyJson): Promise<void> {
  const question = { from: { spiffeIds: caller.sans }, to: { mesh: 'default', dataplane: inbound.dataplane, port: inbound.inbound } };
  const about = JSON.stringify([letter, question]);
  const said = new Set<string>();
  for (const request of REQUESTS) {
    const { body } = await ask(api, 'POST', '/can', { ...question, ...request });
    said.add(`${body.decision} ${body.shadow}`);
    assert.equal(body.enforced, inbound.enforced, about);
  }
  const { body } = await ask(api, 'POST', '/can/requests', question);
  const told = new Set(body.requests.map(({ decision, shadow }: AnyJson) => `${decision} ${shadow}`));
  assert.deepEqual(
    [...said].filter((one) => !told.has(one)),
    [],
    about,
  );
  assert.equal(letter, told.size > 1 ? 'p' : (Object.entries(LETTERS).find(([, text]) => told.has(text))?.[0] ?? ''), about);
}
