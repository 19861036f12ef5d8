import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { Scope } from '../../../test/harness/scope.ts';
import { CHECK_PATH } from '../wire/check-messages.ts';
import { jsonToBytes } from '../wire/json-to-bytes.ts';
import { messageOf } from '../wire/type-registry.ts';
import { listenerAuthenticator } from './authenticate-caller.ts';
import type { AskedCall } from './check-calls.ts';
import { listenerProof } from './listener-proof.ts';
import { nodeId } from './proxy-id.ts';
import { startXds } from './xds-server.ts';

const SECRET = Buffer.alloc(32, 7);
const PROXY = { mesh: 'default', name: 'a.shop' };
const CALLER = 'spiffe://default.west.mesh.local/ns/shop/dataplane/b';

const scope = new Scope();
after(() => scope.close());

/** PERMISSION_DENIED in protobuf; OK is a message without fields. */
const DENIED = '0a020807';
const hex = (bytes: Buffer | undefined): string | undefined => bytes?.toString('hex');

it('a Check says who asks, at which inbound, and what the caller shows; without a proof it is not answered', async () => {
  const asked: AskedCall[] = [];
  const xds = await startXds({
    address: '127.0.0.1',
    port: 0,
    authenticate: () => undefined,
    snapshotOf: () => undefined,
    checks: {
      authenticate: listenerAuthenticator(
        SECRET,
        () => 0,
        () => undefined,
      ),
      check: (call) => {
        asked.push(call);
        if (call.token === 'broken') throw new Error('the store is gone');
        return call.token === 'good' ? { allowed: true } : { allowed: false, reason: 'no' };
      },
    },
    report: () => {},
  });
  scope.add(() => xds.close());
  const client = new Client(`127.0.0.1:${xds.port}`, credentials.createInsecure());
  scope.add(() => client.close());
  const ask = (attributes: object, headers: Readonly<Record<string, string>>): Promise<string> => {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const body = Buffer.from(jsonToBytes(messageOf('envoy.service.auth.v3.CheckRequest'), { attributes: { ...attributes } }));
    return new Promise((resolve) => {
      const done = (error: ServiceError | null, answer?: Buffer): void => resolve(error ? status[error.code] : (hex(answer) ?? ''));
      client.makeUnaryRequest(
        CHECK_PATH,
        (bytes: Buffer) => bytes,
        (bytes: Buffer) => bytes,
        body,
        metadata,
        done,
      );
    });
  };
  const proof = { authorization: `Bearer ${listenerProof(SECRET, PROXY)}`, 'x-meridian-node': nodeId(PROXY), 'x-meridian-inbound': 'web' };
  const http = (token: string) => ({
    source: { principal: CALLER },
    request: { http: { headers: [{ key: 'x-meridian-access-token', value: token }] } },
  });
  const [allowed, denied] = [await ask(http('good'), proof), await ask(http('bad'), proof)];
  assert.deepEqual([allowed, denied.includes(DENIED)], ['0a00', true]);
  assert.match(Buffer.from(denied, 'hex').toString('latin1'), /access denied: no/);
  assert.equal(await ask({ source: { principal: CALLER }, tlsSession: { sni: 'good.meridian.internal' } }, proof), '0a00');
  assert.ok((await ask({}, proof)).includes(DENIED));
  assert.equal(await ask(http('broken'), proof), 'UNAVAILABLE');
  for (const wrong of [{}, { ...proof, authorization: 'Bearer x' }, { ...proof, 'x-meridian-node': 'default.b.shop' }])
    assert.equal(await ask(http('good'), wrong), 'UNAUTHENTICATED');
  const call = { proxy: PROXY, inbound: 'web', caller: CALLER };
  assert.deepEqual(asked.slice(0, 4), [
    ...['good', 'bad', 'good'].map((token) => ({ ...call, token })),
    { ...call, caller: '', token: undefined },
  ]);
});
