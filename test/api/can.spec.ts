import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { applyTransfer } from '../../src/control/receive/apply-transfer.ts';
import { addHash, EMPTY_DIGEST, formatDigest, hashItem } from '../../src/kds/digest.ts';
import { encodeItem } from '../../src/kds/item.ts';
import { GLOBAL_PEER } from '../../src/resource/audience.ts';
import type { Key } from '../../src/resource/key.ts';
import { GLOBAL, type JsonObject } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { type TestedApi, apiOn, ask, EAST, newApi, WEST, type AnyJson } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const TD = 'spiffe://trust-domain.mesh';
const exact = (value: string) => ({ spiffeId: { type: 'Exact', value } });
const prefix = (value: string) => ({ spiffeId: { type: 'Prefix', value } });
const OPERATOR = 'kri_mtp_default_west__by-mesh-operator_';
const OWNER = 'kri_mtp_default_west__by-backend-owner_';

function permission(name: string, spec: object, labels?: object) {
  return { type: 'MeshTrafficPermission', mesh: 'default', name, ...(labels ? { labels } : {}), spec };
}
const operator = (conf: object) => permission('by-mesh-operator', { default: conf });
const owner = (conf: object) =>
  permission('by-backend-owner', { targetRef: { kind: 'Dataplane', labels: { app: 'backend' } }, default: conf });

function dataplane(name: string, labels: object, protocol = 'http', ports = [8080]) {
  const inbound = ports.map((port) => ({ port, tags: { 'kuma.io/service': name, 'kuma.io/protocol': protocol } }));
  return { type: 'Dataplane', mesh: 'default', name, labels, networking: { address: '127.0.0.1', inbound } };
}

/** A universal zone that stands alone, with two proxies and these policies. */
async function zoneWith(...policies: object[]): Promise<TestedApi> {
  const api = newApi(scope, WEST);
  const documents = [dataplane('backend', { app: 'backend' }), dataplane('other', { app: 'other' }), ...policies];
  const { status, body } = await ask(api, 'POST', '/apply', documents);
  assert.equal(status, 200, JSON.stringify(body));
  return api;
}

async function can(api: TestedApi, spiffeId: string, more: object = {}, to: object = {}): Promise<AnyJson> {
  const { status, body } = await ask(api, 'POST', '/can', {
    from: { spiffeId },
    to: { mesh: 'default', dataplane: 'backend', ...to },
    ...more,
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

describe('POST /can: the examples of docs/design/sources.md#spiffe', () => {
  const denied = operator({
    deny: [exact(`${TD}/ns/default/sa/api-gateway`), exact(`${TD}/ns/default/sa/legacy-workload`), prefix('spiffe://legacy.mesh/')],
  });
  const observed = operator({ allow: [prefix(`${TD}/ns/observability`)] });
  const metrics = operator({ allow: [{ ...prefix(`${TD}/ns/observability`), path: { type: 'Prefix', value: '/metrics' } }] });
  const open = owner({ allow: [prefix(`${TD}/`)] });
  const optOut = owner({ deny: [prefix(`${TD}/ns/observability`)] });
  const blocked = owner({ deny: [exact(`${TD}/ns/default/sa/malicious`)] });
  const writers = owner({
    allow: [
      { method: 'GET' },
      { method: 'POST', ...exact(`${TD}/ns/default/sa/writer-1`) },
      { method: 'POST', ...exact(`${TD}/ns/default/sa/writer-2`) },
      { method: 'POST', ...prefix(`${TD}/ns/writers`) },
    ],
  });
  const schema = [
    operator({ deny: [exact(`${TD}/ns/default/sa/frontend`)] }),
    owner({
      deny: [exact(`${TD}/ns/default/sa/api-gateway`)],
      allowWithShadowDeny: [prefix(`${TD}/ns/legacy`)],
      allow: [prefix(`${TD}/`)],
    }),
  ];
  const [anyone, gateway, scraper] = [`${TD}/ns/default/sa/anyone`, `${TD}/ns/default/sa/api-gateway`, `${TD}/ns/observability/sa/x`];
  type CanCase = [title: string, policies: object[], id: string, more: object, decision: string, decidedBy: string | null, shadow?: string];
  const cases: CanCase[] = [
    ['schema: the operator denies', schema, `${TD}/ns/default/sa/frontend`, {}, 'Deny', OPERATOR],
    ['schema: the owner denies', schema, gateway, {}, 'Deny', OWNER],
    ['schema: allowed, with a shadow deny', schema, `${TD}/ns/legacy/sa/x`, {}, 'Allow', OWNER, 'Deny'],
    ['schema: the owner allows', schema, anyone, {}, 'Allow', OWNER],
    ['schema: nobody says anything', schema, 'spiffe://other.mesh/ns/x/sa/y', {}, 'Deny', null],
    ['operator 1: denied by default', [], anyone, {}, 'Deny', null],
    ['operator 2: an owner can’t override', [denied, open], gateway, {}, 'Deny', OPERATOR],
    ['operator 2: nor for a trust domain', [denied, open], 'spiffe://legacy.mesh/x', {}, 'Deny', OPERATOR],
    ['operator 3: observability enters', [observed], scraper, {}, 'Allow', OPERATOR],
    ['operator 3: others don’t', [observed], anyone, {}, 'Deny', null],
    ['operator 4: /metrics', [metrics], scraper, { method: 'GET', path: '/metrics/x?y' }, 'Allow', OPERATOR],
    ['operator 4: another path', [metrics], scraper, { method: 'GET', path: '/metrics/../admin' }, 'Deny', null],
    ['operator 4: no path is known', [metrics], scraper, {}, 'Deny', null],
    ['owner 1: grants', [denied, open], anyone, {}, 'Allow', OWNER],
    ['owner 2: opts out', [observed, optOut], scraper, {}, 'Deny', OWNER],
    ['owner 3: blocks', [operator({ allow: [prefix(`${TD}/`)] }), blocked], `${TD}/ns/default/sa/malicious`, {}, 'Deny', OWNER],
    ['owner 3: others stay', [operator({ allow: [prefix(`${TD}/`)] }), blocked], anyone, {}, 'Allow', OPERATOR],
    ['owner 4: everybody reads', [writers], anyone, { method: 'GET', path: '/' }, 'Allow', OWNER],
    ['owner 4: some write', [writers], `${TD}/ns/writers/sa/x`, { method: 'POST', path: '/' }, 'Allow', OWNER],
    ['owner 4: others don’t', [writers], anyone, { method: 'POST', path: '/' }, 'Deny', null],
  ];
  for (const [title, policies, id, more, decision, decidedBy, shadow = decision] of cases) {
    it(title, async () => {
      const answer = await can(await zoneWith(...policies), id, more);
      assert.deepEqual([answer.decision, answer.shadow, answer.decidedBy], [decision, shadow, decidedBy], answer.reason);
    });
  }

  it('is decided for each proxy on its own', async () => {
    const api = await zoneWith(denied, open);
    assert.equal((await can(api, anyone, {}, { dataplane: 'other' })).decision, 'Deny');
    assert.equal((await can(api, anyone, {}, { dataplane: 'kri_dp_default_west__backend_' })).decision, 'Allow');
  });

  it('follows a change at once', async () => {
    const api = await zoneWith(open);
    assert.equal((await can(api, anyone)).decision, 'Allow');
    assert.equal((await ask(api, 'DELETE', '/meshes/default/meshtrafficpermissions/by-backend-owner')).status, 200);
    assert.equal((await can(api, anyone)).decision, 'Deny');
  });
});

describe('POST /can: clients by tags, and inbounds', () => {
  const from = [{ targetRef: { kind: 'MeshSubset', tags: { env: 'dev' } }, default: { action: 'Allow' } }];

  it('knows a client by the tags of its proxy', async () => {
    const api = await zoneWith(permission('p', { targetRef: { kind: 'Mesh' }, from }));
    const asTags = async (env: string) => {
      const question = { from: { tags: { 'kuma.io/service': 'web', env } }, to: { dataplane: 'backend' } };
      return (await ask(api, 'POST', '/can', question)).body;
    };
    assert.deepEqual([(await asTags('dev')).decision, (await asTags('dev')).decidedBy], ['Allow', 'kri_mtp_default_west__p_']);
    assert.equal((await asTags('prod')).decision, 'Deny');
  });

  it('warns of a `from` that opens nothing beside lists', async () => {
    const everybody = [{ targetRef: { kind: 'Mesh' }, default: { action: 'Allow' } }];
    const api = await zoneWith(permission('p', { targetRef: { kind: 'Mesh' }, from: everybody }), operator({ deny: [exact(`${TD}/a`)] }));
    const answer = await can(api, `${TD}/b`);
    assert.equal(answer.decision, 'Deny');
    assert.match(answer.warnings.join(), /p allows every client with `from`, which opens nothing/);
  });

  it('asks which of several inbounds is meant, and takes the stricter of two on one port', async () => {
    const onPort = permission('admin', { targetRef: { kind: 'Dataplane', sectionName: 'admin' }, default: { deny: [prefix(TD)] } });
    const two = dataplane('two', {}, 'http', [1, 2, 2]);
    const [, middle, last] = two.networking.inbound;
    Object.assign(middle ?? {}, { name: 'web' });
    Object.assign(last ?? {}, { name: 'admin', address: '127.0.0.2' });
    const api = await zoneWith(two, onPort, operator({ allow: [prefix(TD)] }));
    const question = (port?: unknown) => ({ from: { spiffeId: `${TD}/x` }, to: { dataplane: 'two', port } });
    const unclear = await ask(api, 'POST', '/can', question());
    assert.deepEqual([unclear.status, unclear.body.invalid_parameters[0].field], [400, 'to.port']);
    assert.match(unclear.body.invalid_parameters[0].reason, /1, web, admin/);
    const on = async (port: unknown) => (await ask(api, 'POST', '/can', question(port))).body.decision;
    assert.deepEqual([await on(1), await on('2'), await on('admin')], ['Allow', 'Deny', 'Deny']);
    assert.equal((await ask(api, 'POST', '/can', question(9))).status, 400);
  });
});

describe('POST /can: a zone that can’t know all denies', () => {
  const sync = { view: () => assert.fail('not asked'), peers: () => [], ended: () => undefined };
  const id = `${TD}/ns/a/sa/b`;

  it('denies before the first scan, and not after', async () => {
    const api = await zoneWith(operator({ allow: [prefix(TD)] }));
    const joined = apiOn(scope, api.plane, sync);
    assert.equal((await can(api, id)).decision, 'Allow');
    const before = await can(joined, id);
    assert.deepEqual([before.decision, before.shadow, before.decidedBy], ['Deny', 'Deny', null]);
    assert.match(before.reason, /first scan .* not complete/);
    receive(joined, []);
    assert.equal((await can(joined, id)).decision, 'Allow');
  });

  const refused = (namespace: string, spec: JsonObject, zone = '', role?: string): [Key, string] => {
    const key: Key = { type: 'MeshTrafficPermission', mesh: 'default', zone, namespace, name: 'bad' };
    return [key, encodeItem({ key, labels: {}, spec, assigned: { name: 'bad-2c4f8w6xv9z7b5d2', role, references: [] } })];
  };
  const backend: JsonObject = { kind: 'Dataplane', labels: { app: 'backend' } };
  const unreadable: JsonObject = { default: { sometimes: [] } };
  const cases: [title: string, item: [Key, string], backend: string, other: string][] = [
    ['what its targetRef selects', refused('', { targetRef: backend, ...unreadable }, '', 'system'), 'Deny', 'Allow'],
    [
      'everything, if its targetRef can’t be read',
      refused('', { targetRef: { kind: 'Planet' }, ...unreadable }, '', 'system'),
      'Deny',
      'Deny',
    ],
    [
      'what another zone’s selects, if its role is unknown',
      refused('ns', { targetRef: backend, default: { deny: [prefix('spiffe://elsewhere')] } }, 'east', 'new-role'),
      'Deny',
      'Allow',
    ],
    ['nothing, if it says nothing', refused('', { targetRef: backend, default: {} }, '', 'system'), 'Allow', 'Allow'],
    [
      'nothing here, if it is a tenant’s elsewhere',
      refused('ns', { targetRef: backend, ...unreadable }, 'east', 'workload-owner'),
      'Allow',
      'Allow',
    ],
  ];
  for (const [title, [key, wire], onBackend, onOther] of cases) {
    it(`denies, for a refused permission: ${title}`, async () => {
      const api = await zoneWith(operator({ allow: [prefix(TD)] }));
      const joined = apiOn(scope, api.plane, sync);
      receive(joined, []);
      assert.equal((await can(joined, id)).decision, 'Allow');
      receive(joined, [wire]);
      const answer = await can(joined, id);
      assert.equal(answer.decision, onBackend, JSON.stringify(answer));
      assert.equal((await can(joined, id, {}, { dataplane: 'other' })).decision, onOther);
      if (onBackend === 'Allow') return;
      assert.equal(answer.decidedBy, `kri_mtp_default_${key.zone}_${key.namespace}_bad_`);
      assert.match(answer.warnings.join(), /bad_ was refused here \(.+\): until that is put right, what it selects is denied/);
    });
  }
});

/** A complete scan of what global has. */
function receive({ plane }: TestedApi, lines: readonly string[]): void {
  const digest = formatDigest(lines.reduce((sum, line) => addHash(sum, hashItem(line)), EMPTY_DIGEST));
  const end = { store: 'g', term: 1, revision: 1, digest, count: lines.length, signature: '' };
  assert.equal(applyTransfer(plane, { peer: GLOBAL_PEER, origin: GLOBAL, mode: 'scan', lines, end }), 'applied');
}

describe('POST /can: bad questions', () => {
  const cases: [title: string, body: unknown, status: number, field?: string][] = [
    ['no body', undefined, 400],
    ['a list', [], 400, ''],
    ['nobody asks', { from: {}, to: { dataplane: 'backend' } }, 400, 'from'],
    ['two ways of asking', { from: { spiffeId: 'spiffe://a', tags: {} }, to: { dataplane: 'backend' } }, 400, 'from'],
    ['an unknown field', { from: { spiffeId: 'spiffe://a' }, to: { dataplane: 'backend' }, verb: 'GET' }, 400, 'verb'],
    ['a misspelt field inside', { from: { spiffeID: 'spiffe://a' }, to: { dataplane: 'backend' } }, 400, 'from.spiffeID'],
    ['tags that are no texts', { from: { tags: { a: 1 } }, to: { dataplane: 'backend' } }, 400, 'from.tags.a'],
    ['a port that is none', { from: { spiffeId: 'spiffe://a' }, to: { dataplane: 'backend', port: 1.5 } }, 400, 'to.port'],
    ['a KRI that is none', { from: { spiffeId: 'spiffe://a' }, to: { dataplane: 'kri_x' } }, 400, 'kri'],
    ['the KRI of something else', { from: { spiffeId: 'spiffe://a' }, to: { dataplane: 'kri_m____default_' } }, 404],
    ['no such dataplane', { from: { spiffeId: 'spiffe://a' }, to: { dataplane: 'nope' } }, 404],
    ['no such mesh', { from: { spiffeId: 'spiffe://a' }, to: { mesh: '__proto__', dataplane: 'backend' } }, 404],
  ];
  for (const [title, body, status, field] of cases) {
    it(title, async () => {
      const api = await zoneWith();
      const answer = await ask(api, 'POST', '/can', body);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      if (field !== undefined) assert.equal(answer.body.invalid_parameters[0].field, field);
      assert.deepEqual(api.errors, []);
    });
  }
});

it('has no answer for a kubernetes zone’s proxy under another’s name', async () => {
  const api = newApi(scope, EAST);
  await ask(api, 'POST', '/apply', [{ ...dataplane('backend', { 'k8s.kuma.io/namespace': 'a' }) }]);
  const question = (name: string) => ({ from: { spiffeId: `${TD}/x` }, to: { dataplane: name } });
  assert.equal((await ask(api, 'POST', '/can', question('backend.a'))).status, 200);
  assert.equal((await ask(api, 'POST', '/can', question('backend.b'))).status, 404);
});
