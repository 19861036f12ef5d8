import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { GLOBAL, type Place } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { ask, EAST, type AnyJson, newApi } from './harness.ts';
import { askFrom, newGuarded } from './tokens.ts';

const scope = new Scope();
after(() => scope.close());

const ORDER = { name: 'ci', role: 'read-only', validFor: '24h' };

describe('tokens', () => {
  const api = newApi(scope, GLOBAL);

  it('are shown once, and listed without themselves', async () => {
    const { status, body } = await ask(api, 'POST', '/tokens', ORDER);
    assert.equal(status, 201);
    const { token, ...record } = body as Record<string, string>;
    assert.deepEqual(Object.keys(record).sort(), ['expires', 'id', 'issued', 'issuedBy', 'name', 'role']);
    assert.deepEqual([record.name, record.role, record.issuedBy], ['ci', 'read-only', 'loopback']);
    assert.equal(Date.parse(record.expires ?? '') - Date.parse(record.issued ?? ''), 86_400_000);
    const listed = await ask(api, 'GET', '/tokens');
    assert.deepEqual(listed.body, { total: 1, items: [record], next: null });
    assert.ok(!JSON.stringify(listed.body).includes(token?.split('.')[2] ?? 'none'));
    const revoked = await ask(api, 'DELETE', `/tokens/${record.id}`);
    assert.deepEqual(Object.keys(revoked.body as object).includes('revoked'), true);
    assert.deepEqual((await ask(api, 'GET', '/tokens')).body.items, [revoked.body]);
  });

  it('are listed in pages', async () => {
    for (let time = 0; time < 3; time++) await ask(api, 'POST', '/tokens', ORDER);
    const { body } = await ask(api, 'GET', '/tokens?size=2&offset=1');
    assert.equal(body.items.length, 2);
    assert.match(String(body.next), /offset=3/);
  });

  it('are said to be issued by whoever asked', async () => {
    const guarded = newGuarded(scope, GLOBAL);
    const { body } = await askFrom(guarded, 'POST', '/tokens', { token: await guarded.issue('admin'), body: ORDER });
    assert.equal(body.issuedBy, 'a admin');
  });
});

describe('an order of a token', () => {
  const cases: [place: Place, order: AnyJson, refused: string[]][] = [
    [GLOBAL, { ...ORDER, role: 'admin' }, []],
    [GLOBAL, { ...ORDER, role: 'zone-operator', zone: 'west' }, []],
    [EAST, { ...ORDER, role: 'zone-operator' }, []],
    [EAST, { ...ORDER, role: 'zone-operator', zone: 'east' }, []],
    [EAST, { ...ORDER, role: 'zone-operator', zone: 'west' }, ['zone']],
    [GLOBAL, { ...ORDER, role: 'zone-operator' }, ['zone']],
    [GLOBAL, { ...ORDER, role: 'zone-operator', zone: '' }, ['zone']],
    [EAST, { ...ORDER, role: 'zone-operator', zone: '' }, ['zone']],
    [GLOBAL, { ...ORDER, role: 'zone-operator', zone: ['west'] }, ['zone']],
    [GLOBAL, { ...ORDER, zone: 'west' }, ['zone']],
    [GLOBAL, { ...ORDER, role: 'Admin' }, ['role']],
    [GLOBAL, { ...ORDER, role: undefined }, ['role']],
    [GLOBAL, { ...ORDER, name: '' }, ['name']],
    [GLOBAL, { ...ORDER, name: 'a\nb' }, ['name']],
    [GLOBAL, { ...ORDER, name: 'x'.repeat(129) }, ['name']],
    [GLOBAL, { ...ORDER, name: 1, role: 2, validFor: 3 }, ['name', 'role', 'validFor']],
    [GLOBAL, { ...ORDER, validFor: '87600h' }, ['validFor']],
    [GLOBAL, { ...ORDER, validFor: undefined }, ['validFor']],
    [GLOBAL, { ...ORDER, admin: true }, ['admin']],
    [GLOBAL, [ORDER], ['document']],
  ];
  const apis = new Map([GLOBAL, EAST].map((place) => [place, newApi(scope, place)]));
  for (const [place, order, refused] of cases) {
    it(`at ${place.zone || 'global'}, ${JSON.stringify(order).slice(0, 100)}: ${refused.join() || 'is made'}`, async () => {
      const api = apis.get(place) ?? assert.fail();
      const { status, body } = await ask(api, 'POST', '/tokens', order);
      assert.equal(status, refused.length === 0 ? 201 : 400, JSON.stringify(body));
      const fields = ((body.invalid_parameters ?? []) as { field: string }[]).map(({ field }) => field.replaceAll('"', ''));
      assert.deepEqual(fields.sort(), refused);
      if (order.role === 'zone-operator' && status === 201) assert.equal(body.zone, place.zone || 'west');
    });
  }
});

describe("an order of a user's token, as kumactl gives it", () => {
  const guarded = newGuarded(scope, EAST);
  const cases: [groups: unknown, role: string | undefined][] = [
    [['mesh-system:admin'], 'admin'],
    [['team-a', 'mesh-system:admin', 'meridian:zone-operator:east'], 'admin'],
    [['team-a', 'meridian:zone-operator:east'], 'zone-operator'],
    [['meridian:zone-operator:west'], undefined],
    [['mesh-system:authenticated', 'team-a', 'mesh-system:admins', 'admin'], 'read-only'],
    [[], 'read-only'],
    [null, 'read-only'],
    [undefined, 'read-only'],
    ['mesh-system:admin', undefined],
    [[['mesh-system:admin']], undefined],
  ];
  for (const [groups, role] of cases) {
    it(`with the groups ${JSON.stringify(groups)} gives ${role ?? 'nothing'}`, async () => {
      const token = await guarded.issue('admin');
      const body = { name: 'john', groups, validFor: '24h0m0s' };
      const answer = await askFrom(guarded, 'POST', '/tokens/user', { token, body });
      assert.equal(answer.status, role === undefined ? 400 : 200, JSON.stringify(answer.body));
      if (role === undefined) return;
      assert.match(String(answer.headers['content-type']), /^text\/plain/);
      const principal = await guarded.tokens.verify(answer.body as string);
      assert.deepEqual([principal.name, principal.role, principal.zone], ['john', role, role === 'zone-operator' ? 'east' : undefined]);
    });
  }
});

describe('secrets', () => {
  it('are in no answer, no list and no log, whatever fails', async () => {
    const api = newGuarded(scope, GLOBAL);
    const admin = await api.issue('admin');
    const other = await api.issue('read-only');
    const said: string[] = [];
    for (const token of [admin, other, `${other}x`, other.replace('.', '..')]) {
      for (const [method, url] of [
        ['GET', '/tokens'],
        ['GET', '/config'],
        ['GET', '/nowhere'],
        ['POST', '/tokens'],
        ['PUT', '/meshes/x'],
        ['GET', '/_sync'],
      ] as const) {
        said.push(JSON.stringify(await askFrom(api, method, url, { token, body: { type: 'Mesh' } })));
      }
    }
    const { keys } = JSON.parse(api.plane.store.setting('api tokens') ?? '') as { keys: { jwk: { d: string } }[] };
    const secrets = [admin, other].map((token) => token.split('.')[2] ?? '').concat(keys.map(({ jwk }) => jwk.d));
    assert.ok(secrets.every((secret) => secret.length > 20));
    const all = [...said, ...api.log].join('\n');
    assert.ok(api.log.length > 0);
    for (const secret of secrets) assert.ok(!all.includes(secret));
  });
});
