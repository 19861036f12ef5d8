import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { createAuthority } from '../../../test/harness/certificates.ts';
import { meridianctl, startStub } from '../../../test/harness/meridianctl.ts';
import { Scope } from '../../../test/harness/scope.ts';
import { fetchSource } from './fetch-source.ts';

const scope = new Scope();
after(() => scope.close());

const MESH = 'type: Mesh\nname: demo\n';

async function serve(handle: RequestListener): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  scope.add(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('-f URL', () => {
  it('applies what stands there, and sends it no token', async (t) => {
    const asked: unknown[] = [];
    const url = await serve(({ headers }, response) => {
      asked.push(headers.authorization);
      response.end(MESH);
    });
    const stub = await startStub(t, () => ({ body: { results: [] } }));
    const { code, err } = await meridianctl(['apply', '-f', `${url}/mesh.yaml`, '--url', stub.url], { env: { MERIDIAN_TOKEN: 'secret' } });
    assert.deepEqual([code, err, asked], [0, '', [undefined]]);
    assert.deepEqual([stub.asked[0]?.authorization, stub.asked[0]?.body], ['Bearer secret', '[{"type":"Mesh","name":"demo"}]']);
  });

  it('reads over HTTPS by a certificate that is believed alone', async () => {
    const { cert, key, ca } = await (await createAuthority(scope.folder())).issue('files', [], ['127.0.0.1']);
    const server = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_, response) => response.end(MESH));
    server.listen(0, '127.0.0.1');
    scope.add(() => void server.close());
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/mesh.yaml`;
    assert.match((await meridianctl(['lint', '-f', url])).err, /can't be read: .*certificate/);
    assert.equal((await meridianctl(['lint', '-f', url], { env: { NODE_EXTRA_CA_CERTS: ca } })).code, 0);
  });

  it('refuses what others could change on its way, what shows a secret, and what is no file', async () => {
    const url = await serve(({ url: path }, response) => {
      if (path === '/on') return response.writeHead(302, { location: 'http://192.0.2.1/mesh.yaml' }).end();
      if (path === '/round') return response.writeHead(302, { location: '/round' }).end();
      if (path === '/large') return response.end(Buffer.alloc(17 * 1024 * 1024));
      return response.writeHead(path === '/none' ? 404 : 500).end(MESH);
    });
    const refused: readonly (readonly [string, RegExp])[] = [
      ['http://192.0.2.1/mesh.yaml', /plain HTTP to another machine/],
      ['http://127.0.0.1.example.com/mesh.yaml', /plain HTTP to another machine/],
      ['https://a:b@example.com/mesh.yaml', /no credentials in it/],
      [`${url}/on`, /leads to http:\/\/192\.0\.2\.1/],
      [`${url}/round`, /leads to http:/],
      [`${url}/large`, /is larger than 16 MiB/],
      [`${url}/none`, /answers 404/],
      [`${url}/broken`, /answers 500/],
    ];
    for (const [address, reason] of refused) await assert.rejects(fetchSource(address), reason, address);
  });
});
