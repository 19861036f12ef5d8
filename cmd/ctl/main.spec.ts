import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { meridianctl, startStub } from '../../test/harness/meridianctl.ts';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };

describe('meridianctl', { concurrency: 2 }, () => {
  it('prints its version', async () => {
    assert.deepEqual(await meridianctl(['--version']), { code: 0, out: `${manifest.version}\n`, err: '' });
  });

  for (const args of [['--help'], ['help'], ['get', '--help'], ['help', 'lint'], ['zone', 'disable', '-h']]) {
    it(`helps: ${args.join(' ')}`, async () => {
      const { code, out, err } = await meridianctl(args);
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, /^Usage: meridianctl/);
    });
  }

  const wrong = [
    [],
    ['frobnicate'],
    ['get'],
    ['get', 'nothing-like-it'],
    ['edit', 'mt', 'a', 'b'],
    ['get', 'mt', '--nope'],
    ['get', 'mt', '-o', 'xml'],
    ['zone', 'list', '-o', 'explicit'],
    ['--url', 'nowhere', 'get', 'mt'],
    ['--url', 'file:///etc', 'get', 'mt'],
    ['lint'],
    ['name'],
    ['inspect', 'dataplane'],
  ];
  for (const args of wrong) {
    it(`exits with 2 for wrong usage: ${JSON.stringify(args)}`, async () => {
      const { code, out, err } = await meridianctl(args);
      assert.deepEqual([code, out], [2, '']);
      assert.notEqual(err, '');
    });
  }

  it('tells wrong usage as JSON too', async () => {
    const { code, err } = await meridianctl(['-o', 'json', 'frobnicate']);
    assert.equal(code, 2);
    const { error } = JSON.parse(err) as { error: { code: string; message: string } };
    assert.equal(error.code, 'usage');
    assert.match(error.message, /unknown command 'frobnicate'/);
  });

  it('refuses a wrong address from the environment, and takes an empty one for none', async () => {
    assert.equal((await meridianctl(['get', 'mt'], { env: { MERIDIAN_URL: 'ftp://a' } })).code, 2);
    assert.equal((await meridianctl(['name', 'a'], { env: { MERIDIAN_URL: '' } })).code, 0);
  });

  it('says where nobody answers', async () => {
    // Port 1 of loopback: nobody listens there.
    const { code, err } = await meridianctl(['get', 'mt', '--url', 'http://127.0.0.1:1']);
    assert.equal(code, 1);
    assert.match(err, /^error: no control plane answers at http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/);
    assert.match(err, /\nhint: check that it is running, and that --url, MERIDIAN_URL or the context/);
  });

  const strangers: [title: string, status: number, body: unknown][] = [
    ['a web page', 200, '<html></html>'],
    ['an error page', 502, '<html>Bad Gateway</html>'],
    ['JSON of another kind', 200, { hello: 'world' }],
    ['an error of another kind', 404, { message: 'Not Found' }],
  ];
  for (const [title, status, body] of strangers) {
    it(`says that ${title} is no control plane's`, async (t) => {
      const stub = await startStub(t, () => ({ status, body }));
      const { code, out, err } = await meridianctl(['get', 'mt', '-o', 'json', '--url', stub.url]);
      assert.deepEqual([code, out], [1, '']);
      const { error } = JSON.parse(err) as { error: { code: string; message: string } };
      assert.equal(error.code, 'unavailable');
      assert.match(error.message, /does not look like a control plane/);
    });
  }

  it('uses no colours where there is no terminal', async (t) => {
    const stub = await startStub(t, () => ({ body: { total: 1, items: [{ name: 'east', enabled: false }], next: null } }));
    const { out } = await meridianctl(['zone', 'list', '--url', stub.url], { env: { FORCE_COLOR: '1' } });
    assert.ok(out.includes('no') && !out.includes('\u001b'));
  });
});
