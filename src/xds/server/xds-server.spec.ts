import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { credentials, Metadata } from '@grpc/grpc-js';
import { createAuthority } from '../../../test/harness/certificates.ts';
import { Scope } from '../../../test/harness/scope.ts';
import { until } from '../../../test/harness/until.ts';
import { node, openXdsStream, type XdsResponse } from '../../../test/harness/xds-client.ts';
import { MeridianError } from '../../errors.ts';
import { authenticator } from './authenticate-caller.ts';
import { nodeId, type ProxyId } from './proxy-id.ts';
import { startXds, type Xds, type XdsOptions } from './xds-server.ts';
import { issueToken } from './proxy-token.ts';
import { EMPTY, type Snapshot, TYPE_URLS } from '../wire/resource-types.ts';

const SECRET = Buffer.alloc(32, 7);
const [A, B]: [ProxyId, ProxyId] = [
  { mesh: 'default', name: 'a' },
  { mesh: 'default', name: 'b' },
];
const scope = new Scope();
after(() => scope.close());

const authenticate = authenticator(
  SECRET,
  () => 1_000,
  ({ mesh, name }) => `spiffe://${mesh}/${name}`,
);

const bearer = (proxy: ProxyId, expires = 2_000): Metadata => {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${issueToken(SECRET, proxy, expires)}`);
  return metadata;
};

/** Clusters of these names, and one that is named for the proxy. */
const clusters = (proxy: ProxyId, ...names: string[]): Snapshot => ({
  ...EMPTY,
  clusters: [`of-${proxy.name}`, ...names].map((name) => ({ name })),
});

/** A server and a proxy's way to it. `give` sets what every proxy has, or is a function that throws. */
async function open(options: Partial<XdsOptions> = {}) {
  const log: { message: string; details: Readonly<Record<string, unknown>> }[] = [];
  let made: (proxy: ProxyId) => Snapshot | undefined = clusters;
  const xds: Xds = await startXds({
    address: '127.0.0.1',
    port: 0,
    authenticate,
    snapshotOf: (proxy) => made(proxy),
    report: (_level, message, details) => log.push({ message, details }),
    ...options,
  });
  scope.add(() => xds.close());
  const connect = (proxy: ProxyId, { metadata = bearer(proxy), minor = 40 } = {}) => {
    const stream = openXdsStream(scope, xds.port, metadata);
    stream.send({ node: node(nodeId(proxy), minor), typeUrl: TYPE_URLS.clusters });
    return stream;
  };
  return {
    xds,
    log,
    connect,
    logged: (text: string) => log.filter(({ message }) => message.includes(text)).length,
    give: (to: typeof made) => (made = to),
  };
}

const names = ({ resources }: XdsResponse) => resources.map(({ name }) => name);

describe('who a proxy is', () => {
  it('is proven by its token: it gets its own resources', async () => {
    const { connect } = await open();
    const streams = [connect(A), connect(B)];
    assert.deepEqual(await Promise.all(streams.map(async (stream) => names(await stream.at(0)))), [['of-a'], ['of-b']]);
  });

  it('is not believed without a proof, with another’s, or an old one', async () => {
    const { connect, logged, xds } = await open();
    for (const metadata of [new Metadata(), bearer(B), bearer(A, 1_000)]) {
      const stream = connect(A, { metadata });
      // What it says besides is not judged again.
      stream.send({ typeUrl: TYPE_URLS.listeners });
      assert.match(await stream.end(), /^UNAUTHENTICATED: nothing proves that this is default\.a/);
    }
    assert.equal(logged('does not prove'), 3);
    assert.deepEqual(xds.views(), []);
  });

  it('can’t change on a stream', async () => {
    const { connect } = await open();
    const stream = connect(A);
    await stream.at(0);
    stream.send({ node: node(nodeId(B)), typeUrl: TYPE_URLS.listeners });
    assert.match(await stream.end(), /^INVALID_ARGUMENT/);
  });

  it('is proven by a client certificate, over TLS', async () => {
    const authority = await createAuthority(scope.folder());
    const server = await authority.issue('xds', ['spiffe://default/zone']);
    const { xds } = await open({ tls: { cert: server.cert, key: server.key, clientCa: server.ca } });
    const connectWith = async (uris: string[], metadata = new Metadata()) => {
      const { ca, cert, key } = await authority.issue('a', uris);
      const by = credentials.createSsl(readFileSync(ca), readFileSync(key), readFileSync(cert), { checkServerIdentity: () => undefined });
      const stream = openXdsStream(scope, xds.port, metadata, by);
      stream.send({ node: node(nodeId(A)), typeUrl: TYPE_URLS.clusters });
      return stream;
    };
    assert.deepEqual(names(await (await connectWith(['spiffe://default/a'])).at(0)), ['of-a']);
    assert.deepEqual(names(await (await connectWith(['spiffe://default/a'], bearer(A))).at(0)), ['of-a']);
    assert.match(await (await connectWith(['spiffe://default/a'], bearer(B))).end(), /^UNAUTHENTICATED/);
    assert.match(await (await connectWith(['spiffe://default/b'], bearer(A))).end(), /^UNAUTHENTICATED/);
    for (const uris of [
      [],
      ['spiffe://default/b'],
      ['spiffe://default/a', 'spiffe://default/b'],
      ['spiffe://default/b', 'spiffe://default/a'],
    ]) {
      assert.match(await (await connectWith(uris)).end(), /^UNAUTHENTICATED/, uris.join());
    }
  });
});

describe('a stream', () => {
  it('lasts no longer than its token, though nothing happens on it', async () => {
    const { connect, xds, logged } = await open({ authenticate: authenticator(SECRET, () => Date.now() / 1000) });
    const [short, long] = [Date.now() / 1000 + 1, Date.now() / 1000 + 3600];
    const [ending, lasting] = [connect(A, { metadata: bearer(A, short) }), connect(B, { metadata: bearer(B, long) })];
    await Promise.all([ending.at(0), lasting.at(0)]);
    assert.match(await ending.end(), /^UNAUTHENTICATED: its token or certificate has ended/);
    assert.ok(Date.now() / 1000 >= short, 'not before');
    assert.match(xds.view(A)?.refused?.reason ?? '', /has ended/);
    assert.equal(logged('a proxy was refused'), 1);
    assert.equal(xds.view(B)?.streams[0]?.connected, true);
    assert.match(await connect(A, { metadata: bearer(A, short) }).end(), /^UNAUTHENTICATED/);
    await connect(A, { metadata: bearer(A, long) }).at(0);
    assert.equal(xds.view(A)?.refused, undefined);
  });

  it('ends when what tokens are signed with is another, and gets nothing of what changed with it', async () => {
    let secret = SECRET;
    const { connect, xds, give } = await open({ authenticate: (caller) => authenticator(secret, () => 1_000)(caller) });
    const stream = connect(A);
    stream.answer(await stream.at(0));
    xds.judge();
    secret = Buffer.alloc(32, 8);
    give((proxy) => clusters(proxy, 'x'));
    xds.judge();
    xds.changed();
    assert.match(await stream.end(), /^UNAUTHENTICATED/);
    assert.equal(stream.received.length, 1);
  });

  it('of a proxy whose Dataplane is gone has all taken away, and gets nothing', async () => {
    const { connect, xds, give } = await open();
    const stream = connect(A);
    stream.answer(await stream.at(0));
    give(() => undefined);
    xds.changed(A);
    const { resources, removedResources } = await stream.at(1);
    assert.deepEqual([resources, removedResources], [[], ['of-a']]);
    stream.answer(await stream.at(1));
    await until('it is answered', () => xds.view(A)?.streams[0]?.types[0]?.waiting === false);
    stream.send({ typeUrl: TYPE_URLS.clusters, resourceNamesSubscribe: ['of-a', 'of-b'] });
    assert.deepEqual([...(await stream.at(2)).resources], []);
  });
});

it('refuses an Envoy that is too old, and says so to it, in the log and in the view', async () => {
  const { connect, log, xds } = await open();
  const reason = 'Envoy 1.35.0 is too old: Envoy 1.36 or later is needed';
  for (let i = 0; i < 3; i++) assert.equal(await connect(A, { minor: 35 }).end(), `FAILED_PRECONDITION: ${reason}`);
  assert.deepEqual(log, [{ message: 'a proxy was refused', details: { node: 'default.a', reason } }]);
  assert.equal(xds.view(A)?.refused?.reason, reason);
  await connect(A, { minor: 36 }).at(0);
  assert.equal(xds.view(A)?.refused, undefined);
});

it('sends only what changed, to whom it concerns', async () => {
  const { connect, xds, give } = await open();
  const [a, b] = [connect(A), connect(B)];
  for (const stream of [a, b]) stream.answer(await stream.at(0));
  give((proxy) => clusters(proxy, 'x'));
  await until('both answers arrived', () => xds.views().every(({ streams }) => streams[0]?.types[0]?.accepted === 1));
  xds.changed(A);
  assert.deepEqual(names(await a.at(1)), ['x']);
  a.answer(await a.at(1));
  give(() => EMPTY);
  xds.changed(A);
  assert.deepEqual([...(await a.at(2)).removedResources].sort(), ['of-a', 'x']);
  assert.equal(b.received.length, 1);
  xds.changed();
  assert.deepEqual((await b.at(1)).removedResources, ['of-b']);
});

it('keeps a refusal with the proxy’s words, and logs it', async () => {
  const { connect, xds, log } = await open();
  const stream = connect(A);
  stream.answer(await stream.at(0), 'I will not');
  const [refused] = await until('the refusal is seen', () => {
    const found = xds.view(A)?.streams[0]?.types[0]?.refused;
    return found?.length === 1 ? found : undefined;
  });
  assert.deepEqual([refused?.name, refused?.message, refused?.attempts], ['of-a', 'I will not', 1]);
  const details = { node: 'default.a', typeUrl: TYPE_URLS.clusters, reason: 'I will not' };
  assert.deepEqual(log.at(-1), { message: 'a proxy refused an update', details });
  // The pause of a second is over some time: the same is tried again, and taken.
  stream.answer(await stream.at(1));
  await until('it is forgotten', () => xds.view(A)?.streams[0]?.types[0]?.refused.length === 0);
});

it('sends what is more than clients of gRPC take by default: Envoy has no such limit', async () => {
  const { connect, give } = await open();
  const large = { name: 'large', altStatName: 'x'.repeat(6_000_000) };
  give(() => ({ ...EMPTY, clusters: [large] }));
  assert.deepEqual(names(await connect(A).at(0)), ['large']);
});

it('leaves a proxy what it has when it can’t be said what it should have', async () => {
  const { connect, xds, give, logged } = await open();
  const stream = connect(A);
  stream.answer(await stream.at(0));
  give(() => {
    throw new MeridianError('invalid', 'two inbounds on one port');
  });
  xds.changed(A);
  xds.changed(A);
  assert.equal(xds.view(A)?.problem?.reason, 'two inbounds on one port');
  assert.equal(logged('keeps what it has'), 1);
  const later = connect(B);
  await until('it is connected', () => xds.view(B));
  give((proxy) => clusters(proxy));
  xds.changed();
  assert.deepEqual(names(await later.at(0)), ['of-b']);
  assert.equal(xds.view(A)?.problem, undefined);
  assert.equal(stream.received.length, 1);
});

it('sends nothing to a proxy without a Dataplane until there is one', async () => {
  const { connect, xds, give } = await open();
  give(() => undefined);
  const stream = connect(A);
  stream.answer(await stream.at(0));
  assert.deepEqual(names(await stream.at(0)), []);
  give((proxy) => clusters(proxy));
  xds.changed(A);
  assert.deepEqual(names(await stream.at(1)), ['of-a']);
});

it('forgets the stream of a proxy that is gone, and keeps how it ended up', async () => {
  const { connect, xds } = await open();
  const stream = connect(A);
  stream.answer(await stream.at(0));
  await until('it was heard', () => xds.view(A)?.streams[0]?.types[0]?.accepted === 1);
  stream.cancel();
  await until('it is gone', () => xds.view(A)?.streams[0]?.connected === false);
  assert.equal(xds.view(A)?.streams.length, 1);
  assert.equal(xds.view(A)?.streams[0]?.envoyVersion, '1.40.0');
});

it('holds one response of a type for a proxy that does not answer, whatever changes', async () => {
  const { connect, xds, give } = await open();
  const stream = connect(A);
  await stream.at(0);
  for (let i = 0; i < 50; i++) {
    give((proxy) => clusters(proxy, `x-${i}`));
    xds.changed(A);
  }
  stream.answer(await stream.at(0));
  assert.deepEqual(names(await stream.at(1)), ['x-49']);
  assert.equal(stream.received.length, 2);
});

it('listens only where tokens are safe', async () => {
  for (const address of ['0.0.0.0', '::', '10.0.0.1', 'localhost', '127.evil.example']) {
    await assert.rejects(open({ address }), (error) => error instanceof MeridianError && error.code === 'invalid', address);
  }
  const { xds } = await open();
  await assert.rejects(open({ port: xds.port }), (error) => error instanceof MeridianError && error.code === 'unavailable');
});

it('ends all streams when it is closed', async () => {
  const { connect, xds } = await open();
  const stream = connect(A);
  await stream.at(0);
  await xds.close();
  assert.match(await stream.end(), /^UNAVAILABLE/);
});
