import assert from 'node:assert/strict';
import { get, request } from 'node:http';
import { after, describe, it } from 'node:test';
import { parse } from 'yaml';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';
import { ask, newApi, timeout } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const LIST = '/meshes/default/meshtimeouts';
const ONE = `${LIST}/slow`;

describe('what a read can be asked for', async () => {
  const api = newApi(scope, GLOBAL);
  await ask(api, 'PUT', ONE, timeout('slow'));
  const inject = (url: string, headers: Record<string, string>, method: 'GET' | 'PUT' | 'PATCH' = 'GET', payload?: string) =>
    api.app.inject({ method, url, headers: { host: '127.0.0.1', ...headers }, ...(payload === undefined ? {} : { payload }) });

  it('HEAD has the headers of GET and no body, over a socket', async () => {
    const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
    const head = await new Promise<{ status: number | undefined; length: string | undefined; body: string }>((resolve, reject) => {
      request(`${address}${ONE}`, { method: 'HEAD', agent: false }, (response) => {
        let body = '';
        response.on('data', (part) => (body += String(part)));
        response.on('end', () => resolve({ status: response.statusCode, length: response.headers['content-length'], body }));
      })
        .on('error', reject)
        .end();
    });
    let length = 0;
    get(`${address}${ONE}`, { agent: false }, (response) => response.on('data', (part: Buffer) => (length += part.length)));
    await until('GET has its body', () => length > 0);
    assert.deepEqual(head, { status: 200, length: String(length), body: '' });
  });

  for (const url of [ONE, LIST, '/meshtimeouts']) {
    it(`304 at ${url} while nothing changed, and the whole answer after that`, async () => {
      const { etag } = (await inject(url, {})).headers;
      assert.ok(typeof etag === 'string');
      for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const answer = await inject(url, { 'if-none-match': known });
        assert.deepEqual([answer.statusCode, answer.body, answer.headers['content-type'], answer.headers.etag], [304, '', undefined, etag]);
      }
      for (const other of ['"x"', 'x']) assert.equal((await inject(url, { 'if-none-match': other })).statusCode, 200);
      await ask(
        api,
        'PUT',
        ONE,
        timeout('slow', undefined, { to: [{ targetRef: { kind: 'Mesh' }, default: { idleTimeout: url.length + 's' } }] }),
      );
      assert.equal((await inject(url, { 'if-none-match': etag })).statusCode, 200);
    });
  }

  it('a list that is asked for wrongly is refused whatever is known of it', async () => {
    const { etag } = (await inject(LIST, {})).headers;
    assert.equal((await inject(`${LIST}?size=x`, { 'if-none-match': String(etag) })).statusCode, 400);
  });

  const YAML: readonly [accept: string, isYaml: boolean][] = [
    ['application/yaml', true],
    ['application/x-yaml', true],
    ['text/yaml, */*', true],
    ['application/yaml, application/json;q=0.5', true],
    ['application/json, application/yaml', false],
    ['*/*', false],
    ['', false],
  ];
  for (const [accept, isYaml] of YAML) {
    it(`${isYaml ? 'YAML' : 'JSON'} for Accept: ${accept || 'nothing'}`, async () => {
      const { body: expected } = await inject(ONE, {});
      const { headers, body } = await inject(ONE, { accept });
      assert.equal(headers['content-type'], `application/${isYaml ? 'yaml' : 'json'}; charset=utf-8`);
      assert.deepEqual(isYaml ? parse(body) : JSON.parse(body), JSON.parse(expected));
      if (isYaml) assert.match(body, /^type: MeshTimeout\n/);
    });
  }

  it('errors are in YAML too, and a large answer is refused in JSON', async () => {
    assert.match((await inject(`${LIST}/none`, { accept: 'application/yaml' })).body, /^type: \/std-errors\nstatus: 404\n/);
    const large = await inject('/openapi.json', { accept: 'application/yaml' });
    assert.deepEqual([large.statusCode, large.headers['content-type']], [406, 'application/json; charset=utf-8']);
    assert.match(large.body, /ask for JSON, or for fewer with size=/);
  });

  const NEAR: readonly [url: string, meant: string | undefined][] = [
    ['/meshes/default/meshtimeout', LIST],
    ['/meshes/default/MeshTimeout/slow?a=b', ONE],
    ['/meshes/default/mt', LIST],
    ['/meshes/default/meshtimeuots', LIST],
    ['/mesh', '/meshes'],
    ['/zone/east', '/zones/east'],
    ['/meshes/default/zone', undefined],
    ['/nowhere', undefined],
  ];
  for (const [url, meant] of NEAR) {
    it(`404 at ${url} names ${meant ?? 'where all is listed'}`, async () => {
      const { statusCode, body } = await inject(url, {});
      const { hint } = JSON.parse(body) as { hint: string };
      assert.deepEqual([statusCode, hint], [404, meant === undefined ? 'GET /openapi.json lists what is' : `did you mean ${meant}?`]);
    });
  }

  it('415 says what would be right', async () => {
    const { statusCode, body } = await inject(ONE, { 'content-type': 'text/plain' }, 'PUT', 'x');
    assert.equal(statusCode, 415);
    assert.match(body, /a body of the type \\"text\/plain\\" is not read: send application\/json or application\/yaml/);
  });
});
