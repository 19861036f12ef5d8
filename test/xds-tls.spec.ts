import assert from 'node:assert/strict';
import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { bootstrap, type BootstrapInput } from '../src/xds/envoy/bootstrap.ts';
import { type TestAuthority, type IssuedCertificate, createAuthority } from './harness/certificates.ts';
import { type Daemon, runProgram, startDaemon } from './harness/daemon.ts';
import { type Envoy, startEnvoy } from './harness/envoy.ts';
import { startNats } from './harness/nats.ts';
import { Scope } from './harness/scope.ts';
import { until } from './harness/until.ts';

/** Real zones whose xDS server listens beyond loopback, and real Envoys that come to it over TLS. */

const [DATAPLANE, ACCOUNT] = ['backend-1.shop', 'api-1.shop'];
const ID = 'spiffe://default.west.mesh.local/ns/shop/dataplane/backend-1';
const ACCOUNT_ID = 'spiffe://default.west.mesh.local/ns/shop/sa/api';
const scope = new Scope();
after(() => scope.close());

let authority: TestAuthority;
let stranger: TestAuthority;
/** Of the xDS servers: they are replaced later. */
let folder: string;
let server: IssuedCertificate;
/** Takes tokens. */
let byToken: Daemon;
/** Needs certificates. */
let byCertificate: Daemon;

/** All addresses: TLS is needed, and the test stays on loopback. */
const zone = (name: string, more: Readonly<Record<string, string>>): Promise<Daemon> =>
  startDaemon(scope, 'zone', { MERIDIAN_ZONE_NAME: name, MERIDIAN_XDS_ADDRESS: '0.0.0.0', ...more });

async function post(daemon: Daemon, path: string, body: unknown): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${daemon.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text) as Record<string, unknown>;
}

const xdsAddress = (daemon: Daemon): string =>
  `127.0.0.1:${String(daemon.log().find(({ msg, component }) => msg === 'listening' && component === 'xds')?.port)}`;

const tokenOf = async (daemon: Daemon, validFor: string, dataplane = DATAPLANE): Promise<string> =>
  String((await post(daemon, '/_proxy-tokens', { mesh: 'default', dataplane, validFor })).token);

function envoyOf(daemon: Daemon, proof: Pick<BootstrapInput, 'token' | 'xdsIdentity' | 'xdsCa'>, name = DATAPLANE): Promise<Envoy> {
  return startEnvoy(scope, bootstrap({ mesh: 'default', name, xdsAddress: xdsAddress(daemon), xdsCa: server.ca, adminPort: 0, ...proof }));
}

async function connects(envoy: Envoy): Promise<void> {
  const served = async () =>
    (await envoy.stat('control_plane.connected_state')) * (await envoy.stat('listener_manager.lds.update_success'));
  await until('the Envoy is served', async () => (await served()) > 0);
}

async function heardOf(daemon: Daemon, reason: RegExp): Promise<void> {
  const warnings = () => daemon.log().filter(({ level }) => level === 'warn');
  await until(`the log says ${String(reason)}`, () => warnings().some(({ msg, reason: said }) => reason.test(`${msg}: ${String(said)}`)));
}

/** The Envoy got nothing, and the zone says why. */
async function isRefused(daemon: Daemon, envoy: Envoy, reason: RegExp): Promise<void> {
  await heardOf(daemon, reason);
  assert.equal(await envoy.stat('listener_manager.lds.update_success'), 0);
}

/** Puts the files of another certificate in the place of the xDS server's, each by a move. */
function replace(from: Partial<IssuedCertificate>): void {
  for (const [file, path] of Object.entries(from)) {
    copyFileSync(path, join(folder, `${file}.next`));
    renameSync(join(folder, `${file}.next`), join(folder, `${file}.pem`));
  }
}

before(async () => {
  [authority, stranger] = [await createAuthority(scope.folder()), await createAuthority(scope.folder(), 'stranger')];
  folder = scope.folder();
  const issued = await authority.issue('xds', [], ['127.0.0.1']);
  replace(issued);
  server = { ca: issued.ca, cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const tls = { MERIDIAN_XDS_TLS_CERT: server.cert, MERIDIAN_XDS_TLS_KEY: server.key };
  const MERIDIAN_NATS_URL = (await startNats(scope)).url;
  [byToken, byCertificate] = await Promise.all([
    zone('east', { ...tls, MERIDIAN_NATS_URL }),
    zone('west', { ...tls, MERIDIAN_NATS_URL, MERIDIAN_XDS_CLIENT_CA: join(folder, 'ca.pem') }),
    startDaemon(scope, 'global', { MERIDIAN_NATS_URL }),
  ]);
  await Promise.all([byToken.untilReady(), byCertificate.untilReady()]);
  const networking = { address: '127.0.0.1', inbound: [{ port: 18_080, tags: { 'kuma.io/service': 'backend' } }] };
  for (const daemon of [byToken, byCertificate]) {
    await post(daemon, '/apply', [
      { type: 'Dataplane', mesh: 'default', name: 'backend-1', labels: { 'k8s.kuma.io/namespace': 'shop' }, networking },
      {
        type: 'Dataplane',
        mesh: 'default',
        name: 'api-1',
        labels: { 'k8s.kuma.io/namespace': 'shop', 'k8s.kuma.io/service-account': 'api' },
        networking,
      },
    ]);
  }
});

const own = async (name: string, uris: string[], by = authority, hours?: [number, number]) => {
  const { cert, key } = await by.issue(name, uris, [], hours ? { hours } : {});
  return { xdsIdentity: { cert, key } };
};

describe('over TLS with a token', { concurrency: 2 }, () => {
  it('a proxy is served', async () => connects(await envoyOf(byToken, { token: await tokenOf(byToken, '1h') })));

  it('a token of another proxy is refused', async () => {
    const envoy = await envoyOf(byToken, { token: await tokenOf(byToken, '1h', ACCOUNT) });
    await isRefused(byToken, envoy, /does not prove who it is/);
  });

  it('a proxy does not send its token to a server that its CA does not know', async () => {
    const envoy = await envoyOf(byToken, { token: await tokenOf(byToken, '1h'), xdsCa: stranger.ca });
    await isRefused(byToken, envoy, /a connection was refused: .*SSL/);
  });

  it('a stream ends with its token, on its own, and the Envoy keeps what it has', async () => {
    const envoy = await envoyOf(byToken, { token: await tokenOf(byToken, '10s') });
    await connects(envoy);
    const listeners = await envoy.stat('listener_manager.total_listeners_active');
    await heardOf(byToken, /a proxy was refused: its token or certificate has ended/);
    await until('the stream is gone', async () => (await envoy.stat('control_plane.connected_state')) === 0);
    assert.equal(await envoy.stat('listener_manager.total_listeners_active'), listeners);
  });
});

it('when all tokens of a zone are revoked, open streams end, their Envoys keep what they have, and none of those tokens lets in', async () => {
  const token = await tokenOf(byToken, '1h');
  const open = await envoyOf(byToken, { token });
  await connects(open);
  const listeners = await open.stat('listener_manager.total_listeners_active');
  assert.equal((await fetch(`${byToken.url}/_proxy-tokens`, { method: 'DELETE' })).status, 200);
  await until('the stream is gone', async () => (await open.stat('control_plane.connected_state')) === 0);
  assert.equal(await open.stat('listener_manager.total_listeners_active'), listeners);
  await isRefused(byToken, await envoyOf(byToken, { token }), /does not prove who it is/);
  await connects(await envoyOf(byToken, { token: await tokenOf(byToken, '1h') }));
});

describe('over mutual TLS without a token', { concurrency: 2 }, () => {
  it('a proxy is known by the certificate of its Dataplane', async () => connects(await envoyOf(byCertificate, await own('a', [ID]))));

  it('or by that of its service account', async () => connects(await envoyOf(byCertificate, await own('b', [ACCOUNT_ID]), ACCOUNT)));

  const others: [what: string, uris: string[], name: string][] = [
    ['of another proxy', [ID], ACCOUNT],
    ['of an account that the Dataplane does not have', [ACCOUNT_ID], DATAPLANE],
    ['of another mesh', [ID.replace('default', 'other')], DATAPLANE],
    ['of another zone', [ID.replace('west', 'east')], DATAPLANE],
    ['of another namespace', [ID.replace('shop', 'shop2')], DATAPLANE],
    ['with a second SPIFFE ID', [ID, ACCOUNT_ID], DATAPLANE],
    ['without a SPIFFE ID', [], DATAPLANE],
  ];
  for (const [index, [what, uris, name]] of others.entries()) {
    it(`a certificate ${what} is refused`, async () => {
      const before = byCertificate.log().length;
      const envoy = await envoyOf(byCertificate, await own(`other-${index}`, uris), name);
      await until('it is refused', () =>
        byCertificate
          .log()
          .slice(before)
          .some(({ msg, node }) => /does not prove/.test(msg) && node === `default.${name}`),
      );
      assert.equal(await envoy.stat('listener_manager.lds.update_success'), 0);
    });
  }

  it('no certificate is refused, a token or not', async () => {
    const envoy = await envoyOf(byCertificate, { token: await tokenOf(byCertificate, '1h') });
    await isRefused(
      byCertificate,
      envoy,
      /a connection was refused: .*UNABLE_TO_GET_ISSUER_CERT|a connection was refused: .*PEER_DID_NOT_RETURN/,
    );
  });

  it('a certificate of another CA is refused', async () => {
    const envoy = await envoyOf(byCertificate, await own('a', [ID], stranger));
    await isRefused(
      byCertificate,
      envoy,
      /a connection was refused: its certificate is not accepted: (UNABLE_TO_VERIFY|UNABLE_TO_GET|SELF_SIGNED)/,
    );
  });

  it('an expired certificate is refused', async () => {
    const envoy = await envoyOf(byCertificate, await own('late', [ID], authority, [-2, -1]));
    await isRefused(byCertificate, envoy, /a connection was refused: its certificate is not accepted: CERT_HAS_EXPIRED/);
  });

  it('a token beside it must be of the same proxy', async () => {
    const both = async (dataplane: string) => ({ ...(await own('c', [ID])), token: await tokenOf(byCertificate, '1h', dataplane) });
    await connects(await envoyOf(byCertificate, await both(DATAPLANE)));
    const before = byCertificate.log().length;
    const envoy = await envoyOf(byCertificate, await both(ACCOUNT));
    await until('it is refused', () =>
      byCertificate
        .log()
        .slice(before)
        .some(({ msg }) => /does not prove/.test(msg)),
    );
    assert.equal(await envoy.stat('listener_manager.lds.update_success'), 0);
  });

  it('a stream ends with its certificate', async () => {
    const envoy = await envoyOf(byCertificate, await own('short', [ID], authority, [-1, 10 / 3600]));
    await connects(envoy);
    await heardOf(byCertificate, /a proxy was refused: its token or certificate has ended/);
    await heardOf(byCertificate, /a connection was refused: its certificate is not accepted: CERT_HAS_EXPIRED/);
  });
});

describe('files that are replaced', () => {
  const readAgain = (daemon: Daemon) => daemon.log().filter(({ msg }) => msg.includes('were read again')).length;

  it('count without a restart; a pair that does not fit leaves the old one', async () => {
    const next = await authority.issue('next', [], ['127.0.0.1']);
    replace({ key: next.key });
    await heardOf(byToken, /the old ones stay: .*is not the key of/);
    await connects(await envoyOf(byToken, { token: await tokenOf(byToken, '1h') }));
    replace({ cert: next.cert });
    await until('both read it', () => readAgain(byToken) === 1 && readAgain(byCertificate) === 1);
    await connects(await envoyOf(byToken, { token: await tokenOf(byToken, '1h') }));
    replace(await authority.issue('third', [], ['127.0.0.2']));
    await until('both read the third', () => readAgain(byToken) === 2 && readAgain(byCertificate) === 2);
    const envoy = await envoyOf(byToken, { token: await tokenOf(byToken, '1h') });
    await until(
      'the new one is shown: it is for another address',
      async () => (await envoy.stat('cluster.meridian-xds.ssl.fail_verify_san')) > 0,
    );
    replace(await authority.issue('xds', [], ['127.0.0.1']));
    await until('both read the last', () => readAgain(byToken) === 3 && readAgain(byCertificate) === 3);
  });

  it('another CA of the proxies cuts off those of the old one', async () => {
    const [old, fresh] = [await envoyOf(byCertificate, await own('old', [ID])), await own('fresh', [ID], stranger)];
    await connects(old);
    replace({ ca: stranger.ca });
    await until('the old one is cut off', async () => (await old.stat('control_plane.connected_state')) === 0);
    await connects(await envoyOf(byCertificate, fresh));
    assert.equal(await old.stat('control_plane.connected_state'), 0);
  });
});

describe('a zone does not start', { concurrency: 2 }, () => {
  const env = { MERIDIAN_ZONE_NAME: 'east', MERIDIAN_NATS_URL: '' };
  const cases: [what: string, more: () => Record<string, string>, said: RegExp][] = [
    ['beyond loopback without TLS', () => ({ MERIDIAN_XDS_ADDRESS: '0.0.0.0' }), /MERIDIAN_XDS_TLS_CERT\) must be set/],
    [
      'with a file that is not there',
      () => ({ MERIDIAN_XDS_TLS_CERT: '/none', MERIDIAN_XDS_TLS_KEY: server.key }),
      /\/none can't be read: ENOENT/,
    ],
    [
      'with the key of another certificate',
      () => ({ MERIDIAN_XDS_TLS_CERT: authority.ca, MERIDIAN_XDS_TLS_KEY: server.key }),
      /is not the key of/,
    ],
    [
      'with a CA that is none',
      () => ({ MERIDIAN_XDS_TLS_CERT: server.cert, MERIDIAN_XDS_TLS_KEY: server.key, MERIDIAN_XDS_CLIENT_CA: server.key }),
      /holds no certificate/,
    ],
  ];
  for (const [what, more, said] of cases) {
    it(what, async () => {
      const child = runProgram(scope, 'zone', { ...env, ...more(), MERIDIAN_DATA_DIR: join(scope.folder(), 'data') });
      assert.equal(await child.exit, 2, child.lines.join('\n'));
      assert.match(child.lines.join('\n'), said);
    });
  }
});
