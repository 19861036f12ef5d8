import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { RIGHTS } from '../../src/api/auth/rights.ts';
import type { Right } from '../../src/api/auth/principal.ts';
import { GLOBAL, type Place } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { EAST, timeout } from './harness.ts';
import { askFrom, type GuardedApi, newGuarded } from './tokens.ts';

const scope = new Scope();
after(() => scope.close());

const PRINCIPALS = ['nobody', 'read-only', 'operator of west', 'operator of east', 'admin'] as const;
type PrincipalName = (typeof PRINCIPALS)[number];

/** Who is let in, by what a route asks for. Everybody else is refused. */
const MAY: Readonly<Record<Right, (place: Place) => readonly PrincipalName[]>> = {
  anyone: () => PRINCIPALS,
  read: () => PRINCIPALS.filter((who) => who !== 'nobody'),
  operate: ({ zone }) => (zone === 'east' ? ['operator of east', 'admin'] : ['admin']),
  admin: () => ['admin'],
};

async function tokenOf(api: GuardedApi, who: PrincipalName): Promise<string | undefined> {
  if (who === 'nobody') return undefined;
  return who.startsWith('operator') ? api.issue('zone-operator', who.slice('operator of '.length)) : api.issue(who as 'admin');
}

for (const [title, place] of [
  ['global', GLOBAL],
  ['zone east', EAST],
] as const) {
  describe(`the routes of ${title}`, () => {
    const api = newGuarded(scope, place);
    const routes = api.app.served
      .filter(({ config }) => !config?.refused)
      .flatMap(({ method, url }) => [method].flat().map((one) => `${one} ${url}`));

    it('each have a right', () => {
      assert.ok(routes.length > 100);
      assert.deepEqual(
        routes.filter((route) => !RIGHTS.has(route)),
        [],
        'add these to src/api/auth/rights.ts',
      );
    });

    it('are all that have one', () => {
      const elsewhere = place.zone === '' ? ['POST /access/connect', 'POST /access/consume'] : [];
      assert.deepEqual(
        [...RIGHTS.keys()].filter((route) => !routes.includes(route) && !elsewhere.includes(route)),
        [],
      );
    });

    for (const who of PRINCIPALS) {
      it(`are open to ${who} as their rights say`, async () => {
        const token = await tokenOf(api, who);
        for (const route of routes) {
          const [method = '', url = ''] = route.split(' ');
          // Whatever it asks for is not there.
          const answer = await askFrom(api, method as 'GET', url.replace(/:\w+/g, 'nothing'), token === undefined ? {} : { token });
          const allowed = MAY[RIGHTS.get(route) ?? 'admin'](place).includes(who);
          const refused = answer.status === (who === 'nobody' ? 401 : 403);
          assert.equal(refused, !allowed, `${route}: ${answer.status} ${JSON.stringify(answer.body)}`);
          if (!refused) continue;
          assert.equal(answer.body.type, '/std-errors');
          if (who !== 'nobody') assert.match(answer.body.detail, /needs the role admin/);
        }
      });
    }
  });
}

describe('a right', () => {
  it("of what is not in the table is an admin's", async () => {
    const api = newGuarded(scope, GLOBAL);
    api.app.get('/new', () => ({}));
    for (const [role, status] of [
      ['read-only', 403],
      ['admin', 200],
    ] as const) {
      assert.equal((await askFrom(api, 'GET', '/new', { token: await api.issue(role) })).status, status);
    }
  });

  const document = { ...timeout('slow'), labels: {} };
  const applies: [query: string, readOnly: number][] = [
    ['', 403],
    ['?dryRun=true', 200],
    ['?dryRun=false', 403],
    ['?dryRun=false&dryRun=true', 403],
    ['?dryRun=TRUE', 403],
    ['?x&dryRun=true', 200],
    ['?%64ryRun=true', 200],
    ['?dryRun=true%20', 403],
    ['#?dryRun=true', 403],
  ];
  const east = newGuarded(scope, EAST);
  for (const [query, status] of applies) {
    it(`to apply with ${JSON.stringify(query)} is answered with ${status} to who may read`, async () => {
      const answer = await askFrom(east, 'POST', `/apply${query}`, { token: await east.issue('read-only'), body: document });
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      assert.equal(east.plane.store.byName('MeshTimeout', 'default', 'kuma-system', 'slow'), undefined);
    });
  }

  it('does not depend on how the path is written', async () => {
    const api = newGuarded(scope, GLOBAL);
    const token = await api.issue('read-only');
    for (const url of ['/tokens/', '/tokens?', '/%74okens', '/tokens?dryRun=true', '/_recover?dryRun=true', '/apply/?dryRun=no']) {
      const { status } = await askFrom(api, url.startsWith('/_recover') || url.startsWith('/apply') ? 'POST' : 'GET', url, { token });
      assert.equal(status, 403, url);
    }
    for (const url of ['//tokens', '/Tokens', '/tokens/../tokens', '/tokens%2f']) {
      const { status } = await askFrom(api, 'GET', url, { token });
      assert.ok(status === 403 || status === 404, `${url}: ${status}`);
    }
  });

  it('is named with who has which', async () => {
    const api = newGuarded(scope, EAST);
    const body = timeout('slow');
    const put = async (role: 'read-only' | 'zone-operator', zone?: string) =>
      askFrom(api, 'PUT', '/meshes/default/meshtimeouts/slow', { token: await api.issue(role, zone), body });
    assert.match(
      (await put('read-only')).body.detail,
      /needs the role admin, or zone-operator of zone east: the token of a read-only is read-only$/,
    );
    assert.match((await put('zone-operator', 'west')).body.detail, /is zone-operator of zone west$/);
    assert.equal((await put('zone-operator', 'east')).status, 201);
  });

  it('is asked before the body is looked at', async () => {
    const api = newGuarded(scope, GLOBAL);
    const headers = { 'content-type': 'text/plain' };
    assert.equal((await askFrom(api, 'POST', '/apply', { headers })).status, 401);
    assert.equal((await askFrom(api, 'POST', '/apply', { headers, token: await api.issue('read-only') })).status, 403);
  });
});
