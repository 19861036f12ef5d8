import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { apiOf, apiOn, type TestedApi, ask, EAST, type AnyJson, newApi, newWorld, timeout, toMesh } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

async function audit(api: TestedApi, query = ''): Promise<AnyJson[]> {
  const { status, body } = await ask(api, 'GET', `/_audit${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.items;
}

/** Entries in short, the oldest first. */
async function lines(api: TestedApi, query = ''): Promise<string[]> {
  const items = await audit(api, query);
  return items.reverse().map(({ principal, operation, outcome, kri, name, code }) => {
    return [principal || 'nobody', operation, outcome, kri || name || '-', code].filter(Boolean).join(' ');
  });
}

const SLOW = '/meshes/default/meshtimeouts/slow';
const KRI = 'kri_mt_default___slow_';
const slow = (time: string) => timeout('slow', undefined, toMesh(time));

async function token(api: TestedApi, order: object): Promise<Record<string, string>> {
  const { status, body } = await ask(api, 'POST', '/tokens', { validFor: '1h', ...order });
  assert.equal(status, 201, JSON.stringify(body));
  return { authorization: `Bearer ${body.token}` };
}

describe('GET /_audit', () => {
  it('tells who changed what, in the commit that did', async () => {
    const api = newApi(scope, GLOBAL);
    await ask(api, 'PUT', SLOW, slow('1s'));
    await ask(api, 'PUT', SLOW, slow('2s'));
    await ask(api, 'PUT', SLOW, slow('2s'));
    await ask(api, 'POST', '/apply', [slow('3s'), timeout('other')]);
    await ask(api, 'DELETE', SLOW);
    const entries = (await audit(api)).reverse();
    const told = entries.map(({ id: _, ...entry }) => entry);
    const head = { time: '2026-01-02T03:04:05.678Z', principal: 'loopback', role: 'admin', address: '127.0.0.1', type: 'MeshTimeout' };
    const of = (operation: string, name: string, outcome: string, revision: number | null) => {
      return { ...head, operation, mesh: 'default', name, kri: `kri_mt_default___${name}_`, outcome, revision, code: '' };
    };
    assert.deepEqual(told, [
      of('put', 'slow', 'created', 2),
      of('put', 'slow', 'changed', 3),
      of('put', 'slow', 'unchanged', null),
      of('apply', 'slow', 'changed', 4),
      of('apply', 'other', 'created', 4),
      of('delete', 'slow', 'deleted', 5),
    ]);
    assert.ok(entries.every(({ id }, index) => index === 0 || id > entries[index - 1].id));
  });

  it('tells what was refused, and why, by code alone', async () => {
    const api = newApi(scope, GLOBAL);
    const reader = await token(api, { name: 'reader', role: 'read-only' });
    const secret = 'spiffe://not-to-be-kept';
    await ask(api, 'PUT', SLOW, { ...slow('1s'), spec: { to: secret } });
    await ask(api, 'PUT', SLOW, slow('1s'), reader);
    await ask(api, 'PUT', SLOW, slow('1s'), { authorization: 'Bearer x' });
    await ask(api, 'PUT', SLOW, slow('1s'), { host: 'evil.example' });
    await ask(api, 'DELETE', SLOW);
    await ask(api, 'POST', '/apply', '{');
    await ask(api, 'PUT', '/meshes/default/dataplanes/x', { type: 'Dataplane', mesh: 'default', name: 'x', networking: {} });
    assert.deepEqual((await lines(api)).slice(1), [
      'loopback put refused slow invalid',
      'reader put refused slow forbidden',
      'nobody put refused slow unauthorized',
      'nobody put refused slow forbidden',
      'loopback delete refused slow not_found',
      'loopback apply refused - invalid',
      'loopback put refused x read_only',
    ]);
    assert.doesNotMatch(JSON.stringify(await audit(api)), /not-to-be-kept|Bearer/);
  });

  it('says nothing of questions, dry runs, and paths that are none', async () => {
    const api = newApi(scope, GLOBAL);
    await ask(api, 'POST', '/apply?dryRun=true', [slow('1s')]);
    await ask(api, 'POST', '/apply?dryRun=true', '{');
    await ask(api, 'POST', '/can', {});
    await ask(api, 'GET', SLOW);
    await ask(api, 'PUT', '/nowhere', {});
    await ask(api, 'DELETE', '/config');
    assert.deepEqual(await audit(api), []);
  });

  it('tells what operators did: tokens, recovery, zones', async () => {
    const api = newApi(scope, GLOBAL);
    const { body } = await ask(api, 'POST', '/tokens', { name: 'ci', role: 'admin', validFor: '1h' });
    await ask(api, 'PUT', '/zones/east', { type: 'Zone', name: 'east', enabled: false }, { authorization: `Bearer ${body.token}` });
    await ask(api, 'DELETE', '/zones/east');
    await ask(api, 'DELETE', `/tokens/${body.id}`);
    await ask(api, 'POST', '/tokens/keys', {});
    await ask(api, 'POST', '/_recover');
    assert.deepEqual(await lines(api), [
      'loopback issueToken done ci',
      'ci put created kri_z____east_',
      'loopback delete deleted kri_z____east_',
      `loopback revokeToken done ${body.id}`,
      'loopback rotateTokenKey done -',
      'loopback recover done -',
    ]);
    assert.ok(!JSON.stringify(await audit(api)).includes(body.token.slice(-20)));
    const zone = newApi(scope, EAST);
    const issue = () => ({ token: 'secret-of-a-proxy', nodeId: 'default.p', expires: '2026-01-01T00:00:00Z' });
    const withTokens = apiOn(scope, zone.plane, undefined, '127.0.0.1', { proxyTokens: { issue, revokeAll: () => {} } });
    const inbound = [{ port: 80, tags: { 'kuma.io/service': 'p' } }];
    const proxy = { type: 'Dataplane', mesh: 'default', name: 'p', networking: { address: '127.0.0.1', inbound } };
    await ask(withTokens, 'POST', '/apply', [proxy]);
    await ask(withTokens, 'POST', '/_proxy-tokens', { mesh: 'default', dataplane: 'p.kuma-system' });
    assert.deepEqual((await lines(withTokens)).slice(-1), ['loopback issueProxyToken done p.kuma-system']);
  });

  it('pages by ids, and filters', async () => {
    const api = newApi(scope, GLOBAL);
    await ask(
      api,
      'POST',
      '/apply',
      Array.from({ length: 25 }, (_, index) => timeout(`t-${index}`)),
    );
    await ask(api, 'DELETE', '/meshes/default/meshtimeouts/t-3');
    await ask(api, 'DELETE', '/meshes/default/meshtimeouts/t-3');
    const seen: number[] = [];
    for (let url: string | null = '/_audit?size=10'; url; ) {
      const { body }: { body: AnyJson } = await ask(api, 'GET', url);
      seen.push(...body.items.map(({ id }: AnyJson) => id));
      url = body.next && body.next.replace(/^http:\/\/[^/]+/, '');
      // What is written meanwhile moves nothing.
      await ask(api, 'PUT', '/meshes/other', {});
    }
    assert.equal(seen.length, 27);
    assert.deepEqual(
      seen,
      [...new Set(seen)].sort((a, b) => b - a),
    );
    const filters: [query: string, count: number][] = [
      ['?operation=delete', 2],
      ['?outcome=deleted', 1],
      ['?outcome=refused&name=t-3', 1],
      ['?kri=kri_mt_default___t-3_', 2],
      ['?type=Mesh', 3],
      ['?principal=somebody', 0],
      ['?mesh=default&size=1000', 27],
    ];
    for (const [query, count] of filters) assert.equal((await audit(api, query)).length, count, query);
    for (const query of ['?outcome=lost', '?before=0', '?size=0'])
      assert.equal((await ask(api, 'GET', `/_audit${query}`)).status, 400, query);
  });

  it('is for admins', async () => {
    const api = newApi(scope, GLOBAL);
    const reader = await token(api, { name: 'reader', role: 'read-only' });
    assert.equal((await ask(api, 'GET', '/_audit', undefined, reader)).status, 403);
  });

  it('says nothing of what the sync brings', async () => {
    const world = newWorld();
    const [global, west] = [world.node(''), world.node('west')].map((node) => apiOf(scope, node));
    assert.ok(global && west);
    await ask(global, 'PUT', SLOW, slow('1s'));
    world.run(10_000);
    assert.equal((await ask(west, 'GET', '/meshtimeouts')).body.total, 1);
    assert.deepEqual(await lines(global), [`loopback put created ${KRI}`]);
    assert.deepEqual(await lines(west), []);
  });

  it('goes with the commit: neither is there without the other', async () => {
    const base = newApi(scope, GLOBAL);
    const { store } = base.plane;
    const commitEach: typeof store.commitEach = (bodies) => {
      store.commit((tx) => {
        for (const body of bodies) body(tx);
        throw new Error('the disk is full');
      });
      return [];
    };
    const api = apiOn(scope, { ...base.plane, store: { ...store, commitEach } }, undefined);
    assert.equal((await ask(api, 'PUT', SLOW, slow('1s'))).status, 500);
    assert.deepEqual(store.audit.list({}, undefined, 10).items, []);
    assert.equal(store.get({ type: 'MeshTimeout', mesh: 'default', zone: '', namespace: '', name: 'slow' }), undefined);
  });
});
