import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bootstrap } from '../../../src/xds/envoy/bootstrap.ts';
import { meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

describe('meridianctl envoy bootstrap', { concurrency: 2 }, () => {
  it('prints the bootstrap of the proxy that the zone names', async (t) => {
    const stub = await startStub(t, () => ({ body: { token: 'a-token', nodeId: 'shop.backend-1.app', expires: '' } }));
    const given = ['--xds-address', '[::1]:1', '--admin-port', '0', '--valid-for', '1h', '-m', 'shop'];
    const { code, out, err } = await meridianctl(['envoy', 'bootstrap', 'backend-1', ...given, '--url', stub.url]);
    assert.deepEqual([code, err], [0, 'start it with: envoy -c FILE --drain-time-s 10 --drain-strategy immediate\n']);
    const proxy = { mesh: 'shop', name: 'backend-1.app' };
    assert.deepEqual(JSON.parse(out), bootstrap({ ...proxy, xdsAddress: '[::1]:1', token: 'a-token', adminPort: 0 }));
    const [asked] = stub.asked;
    assert.equal(`${asked?.method} ${asked?.path}`, 'POST /_proxy-tokens');
    assert.deepEqual(JSON.parse(asked?.body ?? ''), { mesh: 'shop', dataplane: 'backend-1', validFor: '1h' });
  });

  it('prints one with a certificate instead of a token, for the name that the zone knows', async (t) => {
    const stub = await startStub(t, () => ({ body: { type: 'Dataplane', mesh: 'shop', name: 'backend-1.app' } }));
    const files = ['--drain-time', '3', '--xds-ca', '/ca.pem', '--xds-cert', '/c.pem', '--xds-key', '/k.pem', '--xds-address', 'zone:1'];
    const { code, out, err } = await meridianctl(['envoy', 'bootstrap', 'backend-1', ...files, '-m', 'shop', '--url', stub.url]);
    assert.deepEqual([code, err], [0, 'start it with: envoy -c FILE --drain-time-s 3 --drain-strategy immediate\n']);
    const xdsIdentity = { cert: '/c.pem', key: '/k.pem' };
    const proxy = { mesh: 'shop', name: 'backend-1.app' };
    assert.deepEqual(JSON.parse(out), bootstrap({ ...proxy, xdsAddress: 'zone:1', xdsCa: '/ca.pem', xdsIdentity, adminPort: 9901 }));
    assert.deepEqual(
      stub.asked.map(({ method, path }) => `${method} ${path}`),
      ['GET /meshes/shop/dataplanes/backend-1'],
    );
  });

  const wrong: [args: string[], answer: unknown, code: number][] = [
    [['--admin-port', '65536'], {}, 2],
    [['--admin-port', 'x'], {}, 2],
    [['--drain-time', '0'], {}, 2],
    [['--drain-time', '10s'], {}, 2],
    [['--xds-cert', '/c', '--xds-key', '/k'], { name: 'a' }, 1],
    [['--xds-cert', '/c', '--xds-ca', '/a'], { name: 'a' }, 1],
    [['--xds-key', '/k', '--xds-ca', '/a'], { name: 'a' }, 1],
    [['--xds-cert', '/c', '--xds-key', '/k', '--xds-ca', '/a'], {}, 1],
    [['--xds-address', 'nowhere'], { token: 'a', nodeId: 'a.b' }, 1],
    [[], { token: 'a', nodeId: 'a' }, 1],
    [[], { nodeId: 'a.b' }, 1],
  ];
  for (const [args, body, code] of wrong) {
    it(`ends with ${code} for ${args.join(' ')} ${JSON.stringify(body)}`, async (t) => {
      const stub = await startStub(t, () => ({ body }));
      const done = await meridianctl(['envoy', 'bootstrap', 'a', ...args, '--url', stub.url]);
      assert.deepEqual([done.code, done.out], [code, ''], done.err);
    });
  }
});

it('meridianctl envoy revoke-tokens asks the zone to refuse all', async (t) => {
  const stub = await startStub(t, () => ({ body: {} }));
  const { code, out } = await meridianctl(['envoy', 'revoke-tokens', '--url', stub.url]);
  assert.deepEqual([code, out], [0, "no proxy's token that was made before holds any more\n"]);
  assert.deepEqual(
    stub.asked.map(({ method, path }) => `${method} ${path}`),
    ['DELETE /_proxy-tokens'],
  );
});
