import assert from 'node:assert/strict';
import { WriteQueue } from '../../src/control/plane/write-queue.ts';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import type { IncomingMessage } from 'node:http';
import { startApi } from '../../src/api/server.ts';
import { Tokens } from '../../src/api/auth/api-tokens.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import { createAuthority } from '../harness/certificates.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';
import { newPlane } from './tokens.ts';

const scope = new Scope();
after(() => scope.close());

const folder = scope.folder();
const authority = await createAuthority(folder);
const first = await authority.issue('first', [], ['127.0.0.1']);
const ca = readFileSync(first.ca);

async function serve(cert: string, key: string, log: string[] = []) {
  const plane = newPlane(scope, GLOBAL);
  const writes = new WriteQueue(plane.store, setImmediate);
  const access = { hostNames: [], loopbackAdmin: true, tls: { cert, key }, firstTokenFile: join(folder, 'none') };
  const info = { version: '0.1.0', instance: 'i', clusterId: 'c' };
  const report = (...line: unknown[]) => void log.push(JSON.stringify(line));
  const { port, close } = await startApi({
    plane,
    writes,
    sync: undefined,
    onCommit: () => {},
    address: '127.0.0.1',
    port: 0,
    info,
    report,
    access,
  });
  scope.add(close);
  return { port, plane, writes, log, close };
}

async function get(port: number, path: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port, host: '127.0.0.1', path, ca, headers, agent: false }, resolve).once('error', reject).end();
  });
  return { status: response.statusCode ?? 0, body: await text(response) };
}

/** A connection with these versions of TLS, and the certificate that it sees. */
function handshake(
  port: number,
  maxVersion: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3',
): Promise<{ socket: TLSSocket; peer: DetailedPeerCertificate }> {
  return new Promise((resolve, reject) => {
    // Without this OpenSSL itself does without old versions.
    const options = { port, host: '127.0.0.1', ca, minVersion: 'TLSv1' as const, maxVersion, ciphers: 'DEFAULT@SECLEVEL=0' };
    const socket = connect(options, () => {
      resolve({ socket, peer: socket.getPeerCertificate(true) });
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

describe('the API over HTTPS', () => {
  it('answers, and names itself so', async () => {
    const { port, plane, writes } = await serve(first.cert, first.key);
    assert.equal((await get(port, '/meshes')).status, 200);
    assert.match((await get(port, '/_resources?size=1')).body, /resources/);
    const { token } = await new Tokens(plane, writes, Date.now).issue({ name: 'a', role: 'read-only', validFor: 60, issuedBy: 'a' });
    const authorization = `Bearer ${token}`;
    assert.equal((await get(port, '/tokens', { authorization })).status, 403);
    const tokens = new Tokens(plane, writes, Date.now);
    await tokens.issue({ name: 'b', role: 'read-only', validFor: 60, issuedBy: 'a' });
    assert.match((await get(port, '/tokens?size=1')).body, new RegExp(`"next":"https://127.0.0.1:${port}/tokens`));
    assert.match((await get(port, '/config')).body, /"https":\{"enabled":true/);
  });

  it('does not answer plain HTTP', async () => {
    const { port } = await serve(first.cert, first.key);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connectPlain(port, '127.0.0.1', () => socket.write('GET /meshes HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'));
      let all = '';
      socket.on('data', (bytes) => (all += bytes.toString('latin1')));
      socket.once('close', () => resolve(all));
      socket.once('error', reject);
    });
    assert.ok(!answer.includes('200'), answer);
  });

  it('speaks TLS 1.2 and 1.3, nothing older', async () => {
    const { port } = await serve(first.cert, first.key);
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) assert.equal((await handshake(port, version)).peer.subject.CN, 'first');
    await assert.rejects(handshake(port, 'TLSv1.1'), /protocol version/);
  });

  it('serves a new certificate as soon as it and its key are there, and never half of one', async () => {
    const second = await authority.issue('second', [], ['127.0.0.1']);
    const [cert, key] = [join(folder, 'live.crt'), join(folder, 'live.key')];
    copyFileSync(first.cert, cert);
    copyFileSync(first.key, key);
    const { port, log } = await serve(cert, key);
    const served = async () => (await handshake(port, 'TLSv1.3')).peer.subject.CN;
    assert.equal(await served(), 'first');
    copyFileSync(second.cert, cert);
    await until('it is told that they do not belong together', () => log.some((line) => line.includes('can not be served')));
    assert.equal(await served(), 'first');
    copyFileSync(second.key, key);
    await until('the second is served', async () => (await served()) === 'second');
    writeFileSync(cert, 'garbage');
    await until('it is told again', () => log.filter((line) => line.includes('can not be served')).length > 1);
    assert.equal(await served(), 'second');
    assert.equal((await get(port, '/meshes')).status, 200);
    assert.ok(!log.join().includes('PRIVATE KEY'));
  });

  it('does not start with files that it can not use', async () => {
    const other = await authority.issue('other', []);
    const none = join(folder, 'nothing.pem');
    for (const [cert, key, says] of [
      [none, first.key, /apiTlsCert .*ENOENT/],
      [first.cert, none, /apiTlsKey .*ENOENT/],
      [first.cert, other.key, /must be a certificate and its key/],
      [first.key, first.cert, /must be a certificate and its key/],
    ] as const) {
      await assert.rejects(serve(cert, key), (thrown: Error) => says.test(thrown.message) && !thrown.message.includes('BEGIN'));
    }
  });
});
