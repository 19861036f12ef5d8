import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createAuthority } from '../../../test/harness/certificates.ts';
import { Scope } from '../../../test/harness/scope.ts';
import { lines, meridianctl, type CtlResult, startStub } from '../../../test/harness/meridianctl.ts';

const scope = new Scope();
after(() => scope.close());

const answer = ({ path }: { path: string }) => ({ body: path === '/config' ? { mode: 'global' } : { total: 0, items: [], next: null } });

/** A file of contexts that is not there yet, and `meridianctl` with it. */
function newConfig() {
  const folder = scope.folder();
  const config = join(folder, 'own', 'config');
  const token = join(folder, 'token');
  writeFileSync(token, 'secret-1\n');
  const run = (args: string, env: Record<string, string> = {}): Promise<CtlResult> =>
    meridianctl(args.split(' '), { env: { MERIDIAN_CONFIG: config, ...env } });
  return { folder, config, token, run };
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

describe('meridianctl config', { concurrency: 2 }, () => {
  it('adds, lists, switches, shows and removes control planes; the file is its owner’s alone', async (t) => {
    const stub = await startStub(t, answer);
    const { config, token, run } = newConfig();
    const added = await run(`config control-planes add --name one --address ${stub.url}/ --token-file ${token}`);
    assert.deepEqual(added, { code: 0, out: 'added control plane one\n', err: '' });
    assert.equal(stub.asked[0]?.authorization, 'Bearer secret-1');
    await run('config control-planes add --name two --address http://127.0.0.1:1 --skip-check');
    assert.equal(modeOf(config), '600');
    assert.equal(modeOf(join(config, '..')), '700');
    const list = await run('config control-planes list -o json');
    const items = [
      { name: 'one', address: stub.url, current: false, zone: null, zoneOf: null },
      { name: 'two', address: 'http://127.0.0.1:1', current: true, zone: null, zoneOf: null },
    ];
    assert.deepEqual(JSON.parse(list.out), { items });
    assert.equal((await run('config control-planes switch --name one')).out, 'switched to control plane one\n');
    assert.match((await run('config control-planes list')).out, /^CURRENT +NAME +ADDRESS\n\* +one .*\n- +two /);
    const view = await run('config view');
    assert.match(view.out, /token: \(hidden\)/);
    assert.ok(!view.out.includes('secret-1'));
    const removed = await run('config control-planes remove --name one');
    assert.match(removed.err, /no control plane is current now/);
    assert.ok(!readFileSync(config, 'utf8').includes('secret-1'));
  });

  it('sends a context’s token to the context’s address alone', async (t) => {
    const [kept, other] = [await startStub(t, answer), await startStub(t, answer)];
    const { token, run, folder } = newConfig();
    await run(`config control-planes add --name one --address ${kept.url} --token-file ${token} --skip-check`);
    await run('config control-planes add --name two --address http://127.0.0.1:1 --skip-check');
    writeFileSync(join(folder, 'second'), 'secret-2');
    await run('get mt --context one', { MERIDIAN_URL: other.url, MERIDIAN_TOKEN: 'of-the-variable' });
    await run('config control-planes switch --name one');
    await run('get mt');
    await run('get mt', { MERIDIAN_TOKEN: 'of-the-variable' });
    await run('get mt', { MERIDIAN_TOKEN_FILE: join(folder, 'second') });
    await run(`get mt --context one --token-file ${join(folder, 'second')}`);
    await run('get mt', { MERIDIAN_URL: other.url });
    await run(`get mt --url ${other.url}`);
    await run(`get mt --url ${other.url}`, { MERIDIAN_TOKEN: 'of-the-variable' });
    const sent = (stub: typeof kept) => stub.asked.map(({ authorization }) => authorization);
    const [first, second, third] = ['Bearer secret-1', 'Bearer of-the-variable', 'Bearer secret-2'];
    assert.deepEqual(sent(kept), [first, first, second, third, third]);
    assert.deepEqual(sent(other), [undefined, undefined, second]);
  });

  it('believes only the CA that it is given', async (t) => {
    const { folder, run } = newConfig();
    const { cert, key, ca } = await (await createAuthority(folder)).issue('api', [], ['127.0.0.1']);
    const wrong = (await createAuthority(folder, 'wrong')).ca;
    const stub = await startStub(t, answer, { cert: readFileSync(cert), key: readFileSync(key) });
    assert.equal((await run(`get mt --url ${stub.url} --ca-cert-file ${ca}`)).code, 0);
    for (const args of [`get mt --url ${stub.url}`, `get mt --url ${stub.url} --ca-cert-file ${wrong}`]) {
      const { code, err } = await run(args);
      assert.equal(code, 1);
      assert.match(err, /\nhint: give the CA of its certificate with --ca-cert-file/);
    }
    assert.equal(lines(stub).length, 1);
    assert.equal((await run(`config control-planes add --name a --address ${stub.url} --ca-cert-file ${ca}`)).code, 0);
    assert.equal((await run('get mt')).code, 0);
    const careless = await run(`config control-planes add --name b --address ${stub.url} --skip-verify`);
    assert.deepEqual([careless.code, /^warning: the certificate of .* will not be verified/.test(careless.err)], [0, true]);
    const used = await run('get mt');
    assert.match(used.err, /^warning: the certificate of .* is not verified/);
  });

  const clear: [url: string, sent: boolean][] = [
    ['http://192.0.2.1:5681', false],
    ['http://127.evil.example', false],
    ['http://localhost.evil.example', false],
    ['http://127.0.0.1:1', true],
    ['http://localhost:1', true],
    ['http://[::1]:1', true],
    ['https://127.0.0.1:1', true],
  ];
  for (const [url, sent] of clear) {
    it(`${sent ? 'sends' : 'refuses to send'} a token to ${url}`, async () => {
      const { code, err } = await newConfig().run(`get mt --url ${url}`, { MERIDIAN_TOKEN: 'x' });
      assert.equal(code, 1);
      assert.match(err, sent ? /no control plane answers/ : /a token is not sent to .*\nhint: use https/);
    });
  }

  it('keeps no token for an address without TLS', async () => {
    const { token, config, run } = newConfig();
    const { code, err } = await run(`config control-planes add --name a --address http://192.0.2.1 --token-file ${token} --skip-check`);
    assert.deepEqual([code, existsSync(config)], [1, false]);
    assert.match(err, /a token is not sent/);
  });

  it('closes a file that others could read, and keeps a link one', async () => {
    const { folder, config, run } = newConfig();
    await run('config control-planes add --name a --address http://127.0.0.1:1 --skip-check');
    chmodSync(config, 0o644);
    assert.match((await run('config view')).err, /^warning: others could read .* its mode is 600 now/);
    assert.equal(modeOf(config), '600');
    const link = join(folder, 'link');
    symlinkSync(config, link);
    await run('config control-planes remove --name a', { MERIDIAN_CONFIG: link });
    assert.deepEqual(JSON.parse(readFileSync(config, 'utf8')), { controlPlanes: [] });
  });

  const refused: [args: string, code: number, message: RegExp][] = [
    ['config control-planes switch --name nope', 1, /there is no control plane nope\nhint: see `meridianctl config control-planes list`/],
    ['config control-planes remove --name nope', 1, /there is no control plane nope/],
    ['config control-planes add --name a --address http://127.0.0.1:1', 1, /no control plane answers/],
    ['config control-planes add --name a --address ftp://a', 2, /It must be like http/],
    ['config control-planes add --name a --address https://me:secret@a', 2, /use --token-file/],
    ['config control-planes add --name a/b --address http://a', 2, /It must be letters/],
    ['config control-planes add --name a', 2, /--address/],
    ['get mt --context nope', 1, /there is no context nope/],
    ['get mt --context nope --url http://a', 2, /leave one out/],
    ['get mt --token-file /nowhere/token', 1, /the file of the token, \/nowhere\/token, does not exist/],
    ['get mt --ca-cert-file /nowhere/ca', 1, /the file of the CA/],
  ];
  for (const [args, code, message] of refused) {
    it(`refuses: ${args}`, async () => {
      const ended = await newConfig().run(args);
      assert.deepEqual([ended.code, ended.out], [code, '']);
      assert.match(ended.err, message);
    });
  }

  it('overwrites only when told to, and reads only a file of its own', async () => {
    const { config, run } = newConfig();
    const add = 'config control-planes add --name a --address http://127.0.0.1:1 --skip-check';
    await run(add);
    assert.match((await run(add)).err, /there is a control plane a already/);
    assert.equal((await run(`${add} --overwrite`)).code, 0);
    for (const broken of ['{', '[]', '{"controlPlanes": [{"name": "a"}]}', '{"controlPlanes": [{"name": "a", "address": "x"}]}']) {
      writeFileSync(config, broken);
      assert.match((await run('get mt')).err, /is no file of contexts/);
    }
  });
});
