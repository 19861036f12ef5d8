import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { meridianctl } from './harness/meridianctl.ts';
import { createAuthority } from './harness/certificates.ts';
import { type Daemon, runProgram, startDaemon } from './harness/daemon.ts';
import { KUMACTL, NO_KUMACTL, type Ran, runKumactl } from './harness/kumactl.ts';
import { Scope } from './harness/scope.ts';

/** A daemon as it stands in a network: HTTPS, nobody an admin without a token. */
const scope = new Scope();
after(() => scope.close());

const folder = scope.folder();
let daemon: Daemon;
let ca = '';
/** Every token of the test: none may be in a log. */
const tokens: string[] = [];

before(async () => {
  const { cert, key, ca: file } = await (await createAuthority(folder)).issue('global', [], ['127.0.0.1']);
  ca = file;
  daemon = await startDaemon(scope, 'global', {
    MERIDIAN_NATS_URL: '',
    MERIDIAN_API_TLS_CERT: cert,
    MERIDIAN_API_TLS_KEY: key,
    MERIDIAN_API_LOOPBACK_ADMIN: 'false',
    MERIDIAN_LOG_LEVEL: 'debug',
  });
});

async function ask(url: string, token?: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> {
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const send = url.startsWith('https:') ? request : plainRequest;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    send(url, { ca: readFileSync(ca), agent: false, headers: { ...authorization, ...headers } }, resolve)
      .once('error', reject)
      .end();
  });
  return { status: response.statusCode ?? 0, body: await text(response) };
}

const tokenFile = () => join(daemon.dataDir, 'admin-token');

async function ctl(...args: string[]) {
  const done = await meridianctl([...args, '--url', daemon.url, '--ca-cert-file', ca, '--token-file', tokenFile()]);
  assert.equal(done.code, 0, done.err);
  return done.out;
}

/** Issues a token with meridianctl. */
async function issue(...args: string[]): Promise<{ token: string; id: string }> {
  const issued = JSON.parse(await ctl('token', 'issue', '--valid-for', '1h', '-o', 'json', ...args)) as { token: string; id: string };
  tokens.push(issued.token);
  return issued;
}

describe('a control plane in a network', () => {
  it('leaves the first admin a token that nobody else can read', async () => {
    assert.equal(statSync(tokenFile()).mode & 0o777, 0o600);
    const token = readFileSync(tokenFile(), 'utf8').trim();
    tokens.push(token);
    assert.deepEqual([(await ask(`${daemon.url}/meshes`)).status, (await ask(`${daemon.url}/meshes`, token)).status], [401, 200]);
    assert.equal((await ask(`${daemon.url}/meshes`, token, { 'x-forwarded-for': '10.0.0.1' })).status, 200);
  });

  it('issues, lists and revokes tokens for meridianctl', async () => {
    const { token, id } = await issue('--name', 'reader', '--role', 'read-only');
    assert.match(await ctl('token', 'list'), new RegExp(`${id} +reader +read-only`));
    assert.equal((await ask(`${daemon.url}/meshes`, token)).status, 200);
    await ctl('token', 'revoke', id);
    const refused = await ask(`${daemon.url}/meshes`, token);
    assert.equal(refused.status, 401);
    assert.match(refused.body, /is revoked/);
  });

  it('keeps tokens and their ends over a restart, and makes no second first one', async () => {
    const [kept, revoked] = [await issue('--name', 'kept', '--role', 'admin'), await issue('--name', 'gone', '--role', 'admin')];
    await ctl('token', 'revoke', revoked.id);
    const before = readFileSync(tokenFile(), 'utf8');
    assert.equal(await daemon.stop(), 0);
    const log = daemon.lines;
    daemon = await daemon.again();
    assert.equal(readFileSync(tokenFile(), 'utf8'), before);
    assert.deepEqual(
      [(await ask(`${daemon.url}/tokens`, kept.token)).status, (await ask(`${daemon.url}/tokens`, revoked.token)).status],
      [200, 401],
    );
    for (const token of tokens) assert.ok(!log.join('\n').includes(token.split('.')[2] ?? ''));
  });

  describe('for the real kumactl', { skip: NO_KUMACTL }, () => {
    const kumactl = (config: string, ...args: string[]): Promise<Ran> => runKumactl(folder, config, args);
    const login = (config: string, token: string, ...more: string[]) =>
      kumactl(
        config,
        'config',
        'control-planes',
        'add',
        '--name',
        'meridian',
        '--address',
        daemon.url,
        '--auth-type',
        'tokens',
        '--auth-conf',
        `token=${token}`,
        ...more,
      );
    const apply = (config: string, document: object): Promise<Ran> => {
      const path = join(folder, `${config}.yaml`);
      writeFileSync(path, JSON.stringify(document));
      return kumactl(config, 'apply', '-f', path);
    };
    const mesh = { type: 'Mesh', name: 'payments' };

    it('takes an admin who logs in with a token and the CA', async () => {
      assert.ok(KUMACTL);
      const { token } = await issue('--name', 'operator', '--role', 'admin');
      const added = await login('admin', token, '--ca-cert-file', ca);
      assert.deepEqual([added.code, added.err], [0, '']);
      assert.match((await apply('admin', mesh)).out, /Created/);
      assert.match((await kumactl('admin', 'get', 'meshes')).out, /payments/);
      assert.equal((await kumactl('admin', 'inspect', 'zones')).code, 0);
    });

    it('is not believed without the CA', async () => {
      const { code, err } = await login('blind', tokens[0] ?? '');
      assert.equal(code, 1);
      assert.match(err, /certificate/);
    });

    it("takes a token of kumactl's own making: an admin's, and one that may only read", async () => {
      const made: string[] = [];
      for (const [config, group] of [
        ['john', 'mesh-system:admin'],
        ['jane', 'team-a'],
      ] as const) {
        const { code, out, err } = await kumactl(
          'admin',
          'generate',
          'user-token',
          '--name',
          config,
          '--group',
          group,
          '--valid-for',
          '24h',
        );
        assert.equal(code, 0, err);
        tokens.push(out.trim());
        made.push(out.trim());
        assert.equal((await login(config, out.trim(), '--ca-cert-file', ca)).code, 0);
        assert.match((await kumactl(config, 'get', 'meshes')).out, /payments/);
      }
      assert.match((await apply('john', mesh)).out, /Updated/);
      const refused = await apply('jane', mesh);
      assert.equal(refused.code, 1);
      assert.match(refused.err, /Access Denied \(this needs the role admin: the token of jane is read-only\)/);
      assert.match((await kumactl('jane', 'generate', 'user-token', '--name', 'x', '--valid-for', '1h')).err, /Access Denied|403/);
    });

    it('refuses it once its token is revoked', async () => {
      const listed = JSON.parse(await ctl('token', 'list', '-o', 'json')) as { items: { id: string; name: string }[] };
      await ctl('token', 'revoke', listed.items.find(({ name }) => name === 'john')?.id ?? '');
      const { code, err } = await kumactl('john', 'get', 'meshes');
      assert.equal(code, 1);
      assert.match(err, /is revoked/);
    });
  });

  it('shows no secret in its log, /ready, /metrics and /config', async () => {
    const ready = await ask(`${daemon.diagnosticsUrl}/ready`);
    const metrics = await ask(`${daemon.diagnosticsUrl}/metrics`);
    const config = await ask(`${daemon.url}/config`, tokens[0]);
    assert.deepEqual([ready.status, metrics.status, config.status], [200, 200, 200]);
    const all = [...daemon.lines, ready.body, metrics.body, config.body].join('\n');
    assert.ok(tokens.length >= 4);
    for (const token of tokens) for (const part of token.split('.').slice(1)) assert.ok(!all.includes(part));
    assert.ok(!/PRIVATE KEY|"d":/.test(all));
  });
});

describe('an API that others can reach without TLS', () => {
  const env = { MERIDIAN_NATS_URL: '', MERIDIAN_API_ADDRESS: '0.0.0.0' };

  it('does not start', async () => {
    const child = runProgram(scope, 'global', { ...env, MERIDIAN_DATA_DIR: scope.folder() });
    assert.equal(await child.exit, 2);
    assert.match(child.lines.join('\n'), /MERIDIAN_API_ADDRESS.*without TLS[\s\S]*MERIDIAN_ALLOW_INSECURE/);
  });

  it("starts with an operator's word, and says so in its log and in /ready", async () => {
    const insecure = await startDaemon(scope, 'global', { ...env, MERIDIAN_ALLOW_INSECURE: 'true' });
    assert.ok(insecure.log().some(({ level, msg }) => level === 'warn' && /without TLS/.test(msg)));
    assert.match((await insecure.ready()).warnings.join(), /the API can be reached from other machines.*without TLS/);
    assert.equal(await insecure.stop(), 0);
  });
});
