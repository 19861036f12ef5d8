import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FOREIGN_KINDS } from '../../src/api/resources/foreign-kinds.ts';
import type { Plane } from '../../src/control/plane/plane.ts';
import { NOBODY } from '../../src/resource/audience.ts';
import { GLOBAL, type JsonObject } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { type TestedApi, ask, EAST, type AnyJson, newApi, timeout, WEST } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const inbound = (service: string, more: object = {}) => ({ port: 80, tags: { 'kuma.io/service': service }, ...more });
const proxy = (name: string, ...inbounds: object[]) => dataplane(name, { inbound: inbounds });
const gateway = (name: string, more: object) => dataplane(name, { gateway: { tags: { 'kuma.io/service': name }, ...more } });

function dataplane(name: string, networking: object) {
  return { type: 'Dataplane', mesh: 'default', name, networking: { address: '127.0.0.1', ...networking } };
}

/** A stream of a proxy, as a DataplaneInsight has it. */
const NOW = { connectTime: '2026-01-01T00:00:00Z', version: { envoy: { version: '1.38.3' } } };
const ENDED = { ...NOW, disconnectTime: '2026-01-01T00:01:00Z' };

/** What a zone knows of the proxy of a Dataplane that is there. */
function connect({ store, now, place }: Plane, name: string, ...subscriptions: JsonObject[]): void {
  const key = { type: 'DataplaneInsight', mesh: 'default', zone: place.zone, namespace: '', name };
  const times = { creationTime: now(), modificationTime: now() };
  store.commit((tx) => tx.put({ key, name, namespace: '', labels: {}, spec: { subscriptions }, ...times }, NOBODY, ''));
}

describe('what is counted at a zone', () => {
  let api: TestedApi;
  const get = async (path: string): Promise<AnyJson> => {
    const answer = await ask(api, 'GET', path);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };

  before(async () => {
    api = newApi(scope, WEST);
    const dataplanes = [
      proxy('on', inbound('web'), inbound('admin', { port: 81 })),
      proxy('off', inbound('web')),
      proxy('half', inbound('web'), inbound('slow', { port: 81, state: 'NotReady' })),
      proxy('left', inbound('admin')),
      proxy('again', inbound('back')),
      gateway('edge', {}),
      gateway('own', { type: 'BUILTIN' }),
    ];
    assert.equal((await ask(api, 'POST', '/apply', [...dataplanes, timeout('slow')])).status, 200);
    connect(api.plane, 'on', NOW);
    connect(api.plane, 'half', NOW);
    connect(api.plane, 'left', NOW, ENDED);
    connect(api.plane, 'again', ENDED, NOW);
  });

  it('is shown of each mesh', async () => {
    const { total, items } = await get('/mesh-insights');
    assert.deepEqual([total, items.length], [1, 1]);
    const [{ dataplanes, dataplanesByType, policies, resources, services, dpVersions }] = items;
    assert.deepEqual(dataplanes, { total: 7, online: 2, offline: 4, partiallyDegraded: 1 });
    assert.deepEqual(dataplanesByType.standard, { total: 5, online: 2, offline: 2, partiallyDegraded: 1 });
    assert.deepEqual(
      [dataplanesByType.gateway, dataplanesByType.gatewayBuiltin, dataplanesByType.gatewayDelegated].map(({ total: count }) => count),
      [2, 1, 1],
    );
    assert.deepEqual([policies, resources.Dataplane, services], [{ MeshTimeout: { total: 1 } }, { total: 7 }, { total: 6, internal: 6 }]);
    assert.deepEqual(dpVersions.envoy['1.38.3'], { total: 4, online: 2, offline: 1, partiallyDegraded: 1 });
    assert.deepEqual(dpVersions.envoy.unknown, { total: 3, offline: 3 });
    const { modificationTime: _, ...one } = await get('/mesh-insights/default');
    assert.deepEqual({ ...one, modificationTime: items[0].modificationTime }, items[0]);
  });

  /** By service: its status, how many of its Dataplanes are online, and of what type it is. */
  const SERVICES = {
    admin: ['partially_degraded', 1, 2, undefined],
    back: ['online', 1, 1, undefined],
    edge: ['offline', 0, 1, 'gateway_delegated'],
    own: ['offline', 0, 1, 'gateway_builtin'],
    slow: ['offline', 0, 1, undefined],
    web: ['partially_degraded', 1, 3, undefined],
  };

  it('is shown of each service', async () => {
    for (const path of ['/service-insights', '/meshes/default/service-insights']) {
      const { items } = await get(path);
      const shown = items.map(({ name, status, dataplanes: { online = 0, total }, serviceType }: AnyJson) => [
        name,
        [status, online, total, serviceType],
      ]);
      assert.deepEqual(Object.fromEntries(shown), SERVICES, path);
      assert.ok(items.every(({ zones }: AnyJson) => zones.join() === 'west'));
    }
    assert.equal((await get('/meshes/default/service-insights/web')).dataplanes.total, 3);
  });

  for (const [query, names] of [
    ['?name=e', ['edge', 'web']],
    ['?type=internal', ['admin', 'back', 'slow', 'web']],
    ['?type=gateway_builtin', ['own']],
    ['?status=online', ['back']],
    ['?status=offline&type=internal', ['slow']],
    ['?size=2&offset=1', ['back', 'edge']],
  ] as const) {
    it(`is narrowed by ${query}`, async () => {
      const { items } = await get(`/meshes/default/service-insights${query}`);
      assert.deepEqual(
        items.map(({ name }: AnyJson) => name),
        names,
      );
    });
  }

  it('is shown of everything', async () => {
    const { dataplanes, services, meshes, policies, resources, zones } = await get('/global-insight');
    assert.deepEqual(dataplanes.standard, { total: 5, online: 2, offline: 2, partiallyDegraded: 1 });
    assert.deepEqual([dataplanes.gatewayBuiltin.total, dataplanes.gatewayDelegated.total], [1, 1]);
    assert.deepEqual(services.internal, { total: 4, online: 1, offline: 1, partiallyDegraded: 2 });
    assert.deepEqual([meshes.total, policies.total, resources.Dataplane.total, zones.controlPlanes.online], [1, 1, 7, 1]);
  });

  it('is refused where it is not there, and where the question is wrong', async () => {
    const status = async (path: string): Promise<number> => (await ask(api, 'GET', path)).status;
    for (const path of ['/mesh-insights/x', '/meshes/default/service-insights/x', '/meshes/x/service-insights'])
      assert.equal(await status(path), 404, path);
    for (const query of ['type=odd', 'status=odd', 'size=0', 'offset=x'])
      assert.equal(await status(`/service-insights?${query}`), 400, query);
  });

  it('is in the overviews, under each of their names', async () => {
    const one = await get('/meshes/default/dataplanes/on/_overview');
    assert.deepEqual(await get('/meshes/default/dataplanes+insights/on'), one);
    assert.equal(one.dataplaneInsight.subscriptions.length, 1);
    assert.deepEqual(await get('/meshes/default/dataplanes+insights'), await get('/meshes/default/dataplanes/_overview'));
    assert.deepEqual((await get('/dataplanes+insights')).items, (await get('/dataplanes/_overview')).items);
    assert.deepEqual(
      (await get('/dataplanes/_overview?gateway=delegated')).items.map(({ name }: AnyJson) => name),
      ['edge'],
    );
  });
});

describe('a kind of Kuma that is not here', () => {
  for (const place of [GLOBAL, EAST]) {
    for (const { type, paths, scope: inMesh, hint } of FOREIGN_KINDS) {
      it(`${type} can be listed at ${place.zone || 'global'}, and is refused with what to use instead`, async () => {
        const api = newApi(scope, place);
        for (const path of paths) {
          const base = inMesh === 'Mesh' ? `/meshes/default/${path}` : `/${path}`;
          for (const list of [`/${path}`, base]) assert.deepEqual((await ask(api, 'GET', list)).body, { total: 0, items: [], next: null });
          assert.equal((await ask(api, 'GET', `${base}/x`)).status, 404);
          assert.equal((await ask(api, 'DELETE', `${base}/x`)).status, 404);
          const put = await ask(api, 'PUT', `${base}/x`, { type, name: 'x', data: 'c2VjcmV0' });
          assert.deepEqual([put.status, put.body.hint, put.body.code], [405, hint, 'read_only']);
          assert.deepEqual(api.errors, [], 'and nothing of it is in the log');
        }
        if (inMesh === 'Mesh') assert.equal((await ask(api, 'GET', `/meshes/nowhere/${paths[0]}`)).status, 404);
      });
    }
  }
});
