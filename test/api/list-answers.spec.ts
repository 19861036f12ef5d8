import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import Fastify from 'fastify';
import { rememberLists } from '../../src/api/http/list-cache.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { type TestedApi, apiOn, ask, newApi, timeout } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const LIST = '/meshes/default/meshtimeouts';
const TO_THERE = { to: [{ targetRef: { kind: 'MeshExternalService', name: 'there' }, default: { idleTimeout: '1s' } }] };
const SERVICE = { type: 'MeshExternalService', mesh: 'default', name: 'there' };

/** The same control plane where nothing is remembered. */
function fresh({ plane }: TestedApi): TestedApi {
  return apiOn(scope, plane, undefined);
}

describe('a list that is asked for again', () => {
  const STEPS: readonly (readonly [title: string, method: 'PUT' | 'DELETE', url: string, body?: object])[] = [
    ['a new one', 'PUT', `${LIST}/a`, timeout('a')],
    ['another spec', 'PUT', `${LIST}/a`, timeout('a', { app: 'x' })],
    ['the same again', 'PUT', `${LIST}/a`, timeout('a', { app: 'x' })],
    ['a reference to nothing', 'PUT', `${LIST}/b`, timeout('b', {}, TO_THERE)],
    ['what is referred to', 'PUT', '/meshes/default/meshexternalservices/there', { ...SERVICE, spec: { match: {} } }],
    ['another mesh', 'PUT', '/meshes/other', { type: 'Mesh', name: 'other' }],
    ['one less', 'DELETE', `${LIST}/a`],
    ['none', 'DELETE', `${LIST}/b`],
  ];

  it('is as it is now after each write', async () => {
    const api = newApi(scope, GLOBAL);
    const urls = [LIST, '/meshtimeouts', '/meshes', `${LIST}?format=k8s`, `${LIST}?size=1`, `${LIST}?name=b`, '/meshes/other/meshtimeouts'];
    for (const [title, method, url, body] of STEPS) {
      for (const listed of urls) await ask(api, 'GET', listed);
      const written = await ask(api, method, url, body);
      assert.ok(written.status < 300, `${title}: ${JSON.stringify(written.body)}`);
      const other = fresh(api);
      for (const listed of urls) {
        const [first, again, anew] = [await ask(api, 'GET', listed), await ask(api, 'GET', listed), await ask(other, 'GET', listed)];
        assert.deepEqual([first.status, first.body], [anew.status, anew.body], `${title}, ${listed}`);
        assert.deepEqual([again.status, again.body, again.headers['content-type']], [anew.status, anew.body, anew.headers['content-type']]);
      }
    }
  });

  it('leads to the next page at the address that was asked', async () => {
    const api = newApi(scope, GLOBAL);
    for (const name of ['a', 'b']) await ask(api, 'PUT', `${LIST}/${name}`, timeout(name));
    for (const host of ['localhost:1', '127.0.0.1:5681', 'localhost:1']) {
      const { body } = await ask(api, 'GET', `${LIST}?size=1`, undefined, { host });
      assert.equal(new URL(body.next).host, host);
    }
  });

  it('is made once for each state of the store, and the oldest are forgotten where there is no room', async () => {
    const made: string[] = [];
    let revision = 1;
    const answers = rememberLists({ head: () => ({ store: 's', term: 1, revision }) }, 100);
    const app = Fastify();
    scope.add(() => app.close());
    app.get('/*', (request, reply) =>
      answers(request, reply, () => made.push(request.url) && 'x'.repeat(request.url === '/large' ? 90 : 10)),
    );
    const get = (url: string) => app.inject({ url, headers: { host: 'h' } });
    for (const url of ['/a', '/a', '/large', '/large', '/a'])
      assert.equal((await get(url)).body, url === '/a' ? `"${'x'.repeat(10)}"` : `"${'x'.repeat(90)}"`);
    // `/a` had to go for `/large`, and that for `/a`.
    assert.deepEqual(made, ['/a', '/large', '/a']);
    for (const url of ['/b', '/c', '/b', '/d', '/e', '/f', '/g', '/c', '/a']) await get(url);
    assert.deepEqual(made.slice(3), ['/b', '/c', '/d', '/e', '/f', '/g', '/a']);
    revision++;
    for (const url of ['/a', '/a']) await get(url);
    assert.deepEqual(made.slice(10), ['/a']);
  });
});
