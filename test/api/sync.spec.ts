import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Scope } from '../harness/scope.ts';
import type { World } from '../simulator/world.ts';
import { type ApiAnswer, apiOf, ask, EAST, newApi, newWorld, timeout, toMesh, toService, type AnyJson } from './harness.ts';
import { SAMPLES } from './samples.ts';

const scope = new Scope();
after(() => scope.close());

const NAMESPACE = 'k8s.kuma.io/namespace';
const TIMEOUTS = '/meshes/default/meshtimeouts';

/** Asks a control plane of a world, and lets what it wrote travel. */
async function at(
  world: World,
  zone: string,
  ...request: Parameters<typeof ask> extends [unknown, ...infer Rest] ? Rest : never
): Promise<ApiAnswer> {
  const api = apiOf(scope, world.node(zone));
  const answer = await ask(api, ...request);
  world.run(5_000);
  assert.deepEqual(api.errors, []);
  return answer;
}

function itemsOf({ body }: ApiAnswer): AnyJson[] {
  return body.items;
}

describe('a copy', () => {
  it('is shown under its name here, and written at its origin alone', async () => {
    const world = newWorld();
    assert.equal((await at(world, 'east', 'PUT', `${TIMEOUTS}/slow`, timeout('slow'))).status, 201);
    const [copy] = itemsOf(await at(world, '', 'GET', TIMEOUTS));
    assert.match(copy.name, /^slow-[0-9a-z]{16}$/);
    for (const [method, body] of [
      ['PUT', copy],
      ['DELETE', undefined],
    ] as const) {
      const refused = await at(world, '', method, `${TIMEOUTS}/${copy.name}`, body);
      assert.deepEqual([refused.status, refused.body.invalid_parameters[0].field], [400, 'labels["kuma.io/origin"]']);
      assert.match(refused.body.detail, /it belongs to zone east/);
    }
    assert.equal((await at(world, '', 'GET', `/_kri/${copy.kri}`)).body.name, copy.name);
    assert.equal((await at(world, 'east', 'GET', `/_kri/${copy.kri}`)).body.name, 'slow.kuma-system');
  });

  it('has the explicit form of what its origin wrote', async () => {
    const world = newWorld();
    const service = { type: 'MeshService', mesh: 'default', name: 'backend', labels: { [NAMESPACE]: 'ns' }, ...SAMPLES.MeshService };
    await at(world, 'east', 'PUT', '/meshes/default/meshservices/backend', service);
    await at(world, 'east', 'PUT', `${TIMEOUTS}/slow`, timeout('slow', { [NAMESPACE]: 'ns' }, toService('backend')));
    const kri = 'kri_mt_default_east_ns_slow_';
    const specs = [];
    for (const zone of ['east', '', 'west']) specs.push((await at(world, zone, 'GET', `/_explicit/${kri}`)).body.spec);
    const targetRef = { kind: 'MeshService', name: 'backend', namespace: 'ns' };
    assert.deepEqual(specs[0], { targetRef: { kind: 'Mesh' }, to: [{ targetRef, default: { idleTimeout: '1s' } }] });
    assert.deepEqual(specs, [specs[0], specs[0], specs[0]]);
    // What is stored there names the copy.
    assert.match((await at(world, 'west', 'GET', `/_kri/${kri}`)).body.spec.to[0].targetRef.name, /^backend-/);
    assert.equal((await at(world, '', 'GET', '/_explicit/kri_mt_default___nope_')).status, 404);
  });
});

describe('a zone', () => {
  it('is online while it is heard, and can be deleted when it is not', async () => {
    const world = newWorld();
    await at(world, 'east', 'PUT', `${TIMEOUTS}/slow`, timeout('slow'));
    await at(world, 'west', 'PUT', `${TIMEOUTS}/slow`, timeout('slow'));
    const online = (overview: AnyJson) =>
      overview.zoneInsight.subscriptions.some(({ disconnectTime }: AnyJson) => disconnectTime === undefined);
    for (const path of ['/zones/_overview', '/zones+insights']) {
      const overviews = itemsOf(await at(world, '', 'GET', path));
      assert.deepEqual(
        overviews.map((overview) => [overview.type, overview.name, overview.zone, online(overview)]),
        [
          ['ZoneOverview', 'east', { enabled: true }, true],
          ['ZoneOverview', 'west', { enabled: true }, true],
        ],
      );
      assert.equal(overviews[0].zoneInsight.subscriptions[0].version.kumaCp.version, 'sim');
    }
    const refused = await at(world, '', 'DELETE', '/zones/east');
    assert.deepEqual([refused.status, refused.body.invalid_parameters[0].field], [400, 'zone']);
    world.node('east').setConnected(false);
    world.run(10_000);
    assert.equal(online((await at(world, '', 'GET', '/zones/east/_overview')).body), false);
    const assigned = itemsOf(await at(world, '', 'GET', `${TIMEOUTS}?filter[labels.kuma.io/zone]=east`))[0].name;
    assert.equal((await at(world, '', 'DELETE', '/zones/east')).status, 200);
    assert.equal((await at(world, '', 'GET', '/zones/east/_overview')).status, 404);
    assert.deepEqual(
      itemsOf(await at(world, '', 'GET', TIMEOUTS)).map(({ labels }) => labels['kuma.io/zone']),
      ['west'],
    );
    assert.deepEqual(
      (await at(world, '', 'GET', '/_sync')).body.peers.map(({ peer }: AnyJson) => peer),
      ['west'],
    );
    assert.deepEqual([...world.global.plane.store.mirror.each('east')], []);
    // It comes back as a new zone, under the names that were assigned for good.
    world.node('east').setConnected(true);
    world.run(20_000);
    assert.equal(itemsOf(await at(world, '', 'GET', '/zones')).length, 2);
    assert.equal(itemsOf(await at(world, '', 'GET', `${TIMEOUTS}?filter[labels.kuma.io/zone]=east`))[0].name, assigned);
  });

  it('that is disabled gets nothing, and can be deleted once it is gone, for else it would be back, enabled', async () => {
    const world = newWorld();
    const { body } = await at(world, '', 'GET', '/zones/west');
    assert.equal((await at(world, '', 'PUT', '/zones/west', { ...body, enabled: false })).status, 200);
    await at(world, '', 'PUT', `${TIMEOUTS}/a`, timeout('a'));
    assert.deepEqual(itemsOf(await at(world, 'west', 'GET', TIMEOUTS)), []);
    assert.equal(itemsOf(await at(world, 'east', 'GET', TIMEOUTS)).length, 1);
    const [entry] = itemsOf(await at(world, '', 'GET', '/_ledger?type=MeshTimeout&peer=west'));
    assert.equal(entry.state, 'on its way');
    assert.match(entry.reason, /^zone west is disabled/);
    world.run(5_000);
    assert.equal((await at(world, '', 'DELETE', '/zones/west')).status, 400);
    world.node('west').crash();
    world.run(10_000);
    assert.equal((await at(world, '', 'DELETE', '/zones/west')).status, 200);
  });
});

describe('the ledger', () => {
  it('says where each resource stands', async () => {
    const world = newWorld();
    await at(world, '', 'PUT', `${TIMEOUTS}/a`, timeout('a'));
    world.node('west').setConnected(false);
    await at(world, '', 'PUT', `${TIMEOUTS}/b`, timeout('b'));
    const entries = itemsOf(await at(world, '', 'GET', '/_ledger?type=MeshTimeout'));
    assert.deepEqual(
      entries.map(({ kri, peer, state }) => [kri, peer, state]),
      [
        ['kri_mt_default___a_', 'east', 'applied'],
        ['kri_mt_default___b_', 'east', 'applied'],
        ['kri_mt_default___a_', 'west', 'applied'],
        ['kri_mt_default___b_', 'west', 'on its way'],
      ],
    );
    const queries: [query: string, kris: string[], total: number][] = [
      ['type=MeshTimeout&name=b&peer=west', ['b'], 1],
      ['type=MeshTimeout&size=3&offset=1', ['b', 'a', 'b'], 4],
      ['type=MeshTimeout&peer=east&size=1', ['a'], 2],
      ['type=MeshTimeout&peer=east&size=1&offset=1', ['b'], 2],
      ['name=a&peer=east', ['a'], 1],
      ['mesh=default&peer=east', ['a', 'b'], 2],
      ['mesh=second&peer=east', [], 0],
      // The mesh itself goes out too, and the Zones.
      ['peer=east', ['default', 'a', 'b', 'east', 'west'], 5],
      ['peer=east&size=1&offset=1', ['a'], 5],
      ['peer=nobody', [], 0],
    ];
    for (const [query, names, total] of queries) {
      const answer = await at(world, '', 'GET', `/_ledger?${query}`);
      assert.deepEqual([itemsOf(answer).map(({ name }) => name), answer.body.total], [names, total], query);
    }
  });

  it('has a row for what was deleted until the zone has that too, and knows what never was', async () => {
    const world = newWorld();
    await at(world, '', 'PUT', `${TIMEOUTS}/a`, timeout('a'));
    const ledger = async (name: string) => {
      const { body } = await at(world, '', 'GET', `/_ledger?type=MeshTimeout&name=${name}`);
      const items = body.items.map(({ peer, state, deleted = false }: AnyJson) => `${peer} ${deleted ? 'delete ' : ''}${state}`);
      return { items, exists: body.exists, total: body.total };
    };
    world.node('west').setConnected(false);
    world.run(10_000);
    await at(world, '', 'DELETE', `${TIMEOUTS}/a`);
    assert.deepEqual(await ledger('a'), { items: ['west delete on its way'], exists: false, total: 1 });
    const [entry] = itemsOf(await at(world, '', 'GET', '/_ledger?peer=west&size=1'));
    assert.equal(entry.reason, 'deleted; the connection is lost');
    assert.ok(Math.abs(Date.parse(entry.since) - Date.now()) < 60_000, entry.since);
    assert.deepEqual(itemsOf(await at(world, 'west', 'GET', TIMEOUTS)).length, 1, 'west holds it');
    await at(world, '', 'PUT', `${TIMEOUTS}/a`, timeout('a'));
    assert.deepEqual((await ledger('a')).items, ['east applied', 'west on its way']);
    await at(world, '', 'DELETE', `${TIMEOUTS}/a`);
    world.node('west').setConnected(true);
    world.run(20_000);
    assert.deepEqual(await ledger('a'), { items: [], exists: false, total: 0 });
    assert.deepEqual(await ledger('never'), { items: [], exists: false, total: 0 });
  });

  it('of a zone is about global, and of a zone that stands alone empty', async () => {
    const world = newWorld();
    await at(world, 'east', 'PUT', `${TIMEOUTS}/a`, timeout('a'));
    const [entry] = itemsOf(await at(world, 'east', 'GET', '/_ledger?type=MeshTimeout'));
    assert.deepEqual([entry.peer, entry.state, entry.zone, entry.namespace], ['global', 'applied', 'east', 'kuma-system']);
    const alone = newApi(scope, EAST);
    await ask(alone, 'PUT', `${TIMEOUTS}/a`, timeout('a'));
    assert.deepEqual(itemsOf(await ask(alone, 'GET', '/_ledger')), []);
    assert.deepEqual((await ask(alone, 'GET', '/_sync')).body.peers, []);
  });
});

describe('the view of the sync', () => {
  it('shows each peer, and what was refused of it', async () => {
    const world = newWorld();
    await at(world, '', 'PUT', '/meshes/second', { type: 'Mesh', name: 'second' });
    await at(world, 'east', 'PUT', '/meshes/second/meshtimeouts/a', { ...timeout('a'), mesh: 'second' });
    world.node('east').setConnected(false);
    await at(world, 'east', 'PUT', '/meshes/second/meshtimeouts/b', { ...timeout('b', {}, toMesh('2s')), mesh: 'second' });
    const [copy] = itemsOf(await at(world, '', 'GET', '/meshes/second/meshtimeouts'));
    assert.equal((await at(world, '', 'DELETE', '/meshes/second')).status, 409);
    assert.ok(copy);
    const { body } = await at(world, '', 'GET', '/_sync');
    assert.deepEqual([body.term, body.diverged, body.ended], [1, null, null]);
    const east = body.peers.find(({ peer }: AnyJson) => peer === 'east');
    assert.deepEqual([east.online, east.refused, east.absent, east.stopped], [false, [], [], null]);
    assert.ok(!JSON.stringify(body).includes('signature'));
    const [global] = (await at(world, 'west', 'GET', '/_sync')).body.peers;
    assert.deepEqual([global.peer, global.online, global.upToDate], ['global', true, true]);
  });

  it('takes an operator at his word', async () => {
    const world = newWorld();
    const nothing = await at(world, '', 'POST', '/_recover', {});
    assert.deepEqual(nothing.body, { done: ['nothing to recover from'] });
    assert.deepEqual((await at(world, '', 'POST', '/_recover')).body, nothing.body);
    assert.match((await at(world, '', 'POST', '/_recover', { acceptStore: 'east' })).body.done[0], /speaks for east is accepted/);
    assert.equal((await at(world, 'east', 'POST', '/_recover', { acceptStore: 'global' })).status, 200);
    assert.equal((await at(world, 'east', 'POST', '/_recover', { acceptStore: 'west' })).status, 400);
    assert.equal((await at(world, '', 'POST', '/_recover', { acceptStore: 'global' })).status, 400);
  });
});
