import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { startApi } from '../../src/api/server.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { apiOn, ask, newApi } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

describe('the guard', () => {
  const hosts: [host: string, status: number][] = [
    ['127.0.0.1:5681', 200],
    ['127.0.0.1', 200],
    ['localhost:1', 200],
    ['LOCALHOST', 200],
    ['[::1]:5681', 200],
    ['10.1.2.3:5681', 200],
    ['evil.example:5681', 403],
    ['localhost.evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['127.1', 403],
    ['127.0.0.1:99999', 403],
    ['127.0.0.1:5681@evil.example', 403],
    ['[::1', 403],
    ['a b', 403],
  ];
  const api = newApi(scope, GLOBAL);
  for (const [host, status] of hosts) {
    it(`answers the host ${JSON.stringify(host)} with ${status}`, async () => {
      const answer = await ask(api, 'GET', '/meshes', undefined, { host });
      assert.equal(answer.status, status);
      if (status === 403) assert.deepEqual([answer.body.title, answer.body.type], ['Access Denied', '/std-errors']);
    });
  }

  it('knows the address that it was configured with', async () => {
    const { plane, options } = newApi(scope, GLOBAL);
    assert.ok(options);
    const named = apiOn(scope, plane, undefined, 'global.example');
    assert.equal((await ask(named, 'GET', '/meshes', undefined, { host: 'global.example:5681' })).status, 200);
    assert.equal((await ask(named, 'GET', '/meshes', undefined, { host: 'zone.example:5681' })).status, 403);
  });

  const origins: [origin: string, status: number][] = [
    ['http://127.0.0.1:5681', 200],
    ['http://localhost:5681', 403],
    ['http://127.0.0.1', 403],
    ['https://127.0.0.1:5681', 403],
    ['http://evil.example', 403],
    ['null', 403],
  ];
  for (const [origin, status] of origins) {
    it(`answers a page of ${origin} with ${status}`, async () => {
      for (const method of ['GET', 'DELETE'] as const) {
        const answer = await ask(api, method, '/zones/none', undefined, { origin });
        assert.equal(answer.status, status === 200 ? 404 : status);
      }
    });
  }

  it('lets nobody in from elsewhere', async () => {
    const { app } = newApi(scope, GLOBAL);
    for (const remoteAddress of ['10.0.0.1', '192.168.1.1', '::ffff:10.0.0.1', 'fe80::1', '0.0.0.0']) {
      for (const url of ['/meshes', '/nowhere', '/_sync', '/tokens']) {
        const answer = await app.inject({ method: 'GET', url, remoteAddress, headers: { host: '127.0.0.1' } });
        assert.equal(answer.statusCode, 401);
        const body = JSON.parse(answer.body) as { type: string; detail: string };
        assert.equal(body.type, '/std-errors');
        assert.match(body.detail, /needs a token/);
      }
    }
  });

  it('lets nothing be sniffed or kept', async () => {
    for (const url of ['/', '/nowhere', '/meshes?size=0']) {
      const { headers } = await ask(api, 'GET', url);
      assert.deepEqual([headers['x-content-type-options'], headers['cache-control']], ['nosniff', 'no-store']);
    }
  });
});

describe('startApi', () => {
  it('serves on its port alone, until it is closed', async () => {
    const api = newApi(scope, GLOBAL);
    const { port, close } = await startApi(apiOn(scope, api.plane, undefined).options);
    assert.equal((await fetch(`http://127.0.0.1:${port}/meshes`)).status, 200);
    await assert.rejects(startApi({ ...api.options, port }), { code: 'unavailable' });
    await close();
    await assert.rejects(fetch(`http://127.0.0.1:${port}/meshes`));
  });

  it('wants a host, and answers what is no HTTP', async () => {
    const { port, close } = await startApi(apiOn(scope, newApi(scope, GLOBAL).plane, undefined).options);
    scope.add(close);
    for (const [request, status] of [
      ['GET /meshes HTTP/1.0\r\n\r\n', 403],
      ['GET /meshes HTTP/1.1\r\n\r\n', 400],
      ['GET http://evil.example/meshes HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n', 403],
      ['GET /meshes HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\nconnection: close\r\n\r\n', 200],
      ['GARBAGE\r\n\r\n', 400],
      [`GET /${'a'.repeat(100_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`, 431],
    ] as const) {
      assert.equal(await rawStatus(port, request), status, request.slice(0, 80));
    }
  });

  it('closes although a connection is open', async () => {
    const { port, close } = await startApi(apiOn(scope, newApi(scope, GLOBAL).plane, undefined).options);
    const socket = connect(port, '127.0.0.1');
    const ended = new Promise((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write('GET /meshes HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    await close();
    await ended;
  });
});

/** The status that a request gets which no client would send. */
function rawStatus(port: number, request: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.once('data', (bytes) => {
      resolve(Number(/^HTTP\/1\.[01] (\d+)/.exec(bytes.toString())?.[1]));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
