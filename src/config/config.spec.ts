import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { MeridianError } from '../errors.ts';
import { apiInsecurity } from './api-security.ts';
import { readConfigFile } from './config-file.ts';
import { readSettings } from './read-settings.ts';
import { insecurity, natsTls, xdsTls } from './nats-security.ts';
import { COMMON, ZONE } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'meridian-config-'));
after(() => rmSync(folder, { recursive: true }));

function fileWith(text: string): string {
  const path = join(folder, 'config.yaml');
  writeFileSync(path, text);
  return path;
}

function problemsOf(call: () => unknown): string[] {
  try {
    call();
  } catch (thrown) {
    assert.ok(thrown instanceof MeridianError && thrown.code === 'invalid' && thrown.hint, String(thrown));
    return thrown.problems.map(({ field, reason }) => `${field} ${reason}`);
  }
  return [];
}

describe('settings', () => {
  test('have their defaults', () => {
    assert.deepEqual(readSettings(ZONE, { environment: { MERIDIAN_ZONE_NAME: 'east' }, file: {} }), {
      dataDir: './data',
      natsUrl: 'nats://127.0.0.1:4222',
      natsCreds: '',
      natsCa: '',
      natsCert: '',
      natsKey: '',
      allowInsecure: false,
      apiAddress: '127.0.0.1',
      apiPort: 5681,
      apiHostnames: [],
      apiTlsCert: '',
      apiTlsKey: '',
      apiLoopbackAdmin: true,
      diagnosticsPort: 5680,
      logLevel: 'info',
      zoneName: 'east',
      environment: 'kubernetes',
      systemNamespace: 'kuma-system',
      siteAttributes: {},
      xdsAddress: '127.0.0.1',
      xdsPort: 5678,
      xdsTlsCert: '',
      xdsTlsKey: '',
      xdsClientCa: '',
      proxyCertDir: '/etc/meridian/proxies',
    });
  });

  const given: readonly [
    key: keyof typeof ZONE,
    variable: string,
    yaml: string,
    file: unknown,
    inEnvironment: string,
    environment: unknown,
  ][] = [
    ['dataDir', 'MERIDIAN_DATA_DIR', 'dataDir: /a', '/a', '/b', '/b'],
    ['natsUrl', 'MERIDIAN_NATS_URL', 'natsUrl: tls://a:1', 'tls://a:1', '', ''],
    ['natsUrl', 'MERIDIAN_NATS_URL', 'natsUrl: ""', '', 'wss://u:p@b/c', 'wss://u:p@b/c'],
    ['natsUrl', 'MERIDIAN_NATS_URL', 'natsUrl: [nats://a, nats://b]', 'nats://a,nats://b', 'ws://a, ws://b', 'ws://a, ws://b'],
    ['natsCreds', 'MERIDIAN_NATS_CREDS', 'natsCreds: /a', '/a', '/b', '/b'],
    ['natsCa', 'MERIDIAN_NATS_CA', 'natsCa: /a', '/a', '/b', '/b'],
    ['natsCert', 'MERIDIAN_NATS_CERT', 'natsCert: /a', '/a', '/b', '/b'],
    ['natsKey', 'MERIDIAN_NATS_KEY', 'natsKey: /a', '/a', '/b', '/b'],
    ['allowInsecure', 'MERIDIAN_ALLOW_INSECURE', 'allowInsecure: true', true, 'false', false],
    ['apiAddress', 'MERIDIAN_API_ADDRESS', 'apiAddress: 0.0.0.0', '0.0.0.0', '::', '::'],
    ['apiPort', 'MERIDIAN_API_PORT', 'apiPort: 1', 1, '0', 0],
    ['apiHostnames', 'MERIDIAN_API_HOSTNAMES', 'apiHostnames: [a.example]', ['a.example'], 'b, C.example', ['b', 'C.example']],
    ['apiTlsCert', 'MERIDIAN_API_TLS_CERT', 'apiTlsCert: /a', '/a', '/b', '/b'],
    ['apiTlsKey', 'MERIDIAN_API_TLS_KEY', 'apiTlsKey: /a', '/a', '/b', '/b'],
    ['apiLoopbackAdmin', 'MERIDIAN_API_LOOPBACK_ADMIN', 'apiLoopbackAdmin: false', false, 'true', true],
    ['diagnosticsPort', 'MERIDIAN_DIAGNOSTICS_PORT', 'diagnosticsPort: "65535"', 65_535, '2', 2],
    ['logLevel', 'MERIDIAN_LOG_LEVEL', 'logLevel: debug', 'debug', 'error', 'error'],
    ['zoneName', 'MERIDIAN_ZONE_NAME', 'zoneName: a', 'a', 'b-1', 'b-1'],
    ['environment', 'MERIDIAN_ENVIRONMENT', 'environment: universal', 'universal', 'kubernetes', 'kubernetes'],
    ['systemNamespace', 'MERIDIAN_SYSTEM_NAMESPACE', 'systemNamespace: a', 'a', 'b', 'b'],
    ['siteAttributes', 'MERIDIAN_SITE_ATTRIBUTES', 'siteAttributes: {geo: eu}', { geo: 'eu' }, 'geo=us, a=b', { geo: 'us', a: 'b' }],
    ['xdsAddress', 'MERIDIAN_XDS_ADDRESS', 'xdsAddress: 0.0.0.0', '0.0.0.0', '::1', '::1'],
    ['xdsTlsCert', 'MERIDIAN_XDS_TLS_CERT', 'xdsTlsCert: /a', '/a', '/b', '/b'],
    ['xdsTlsKey', 'MERIDIAN_XDS_TLS_KEY', 'xdsTlsKey: /a', '/a', '/b', '/b'],
    ['xdsClientCa', 'MERIDIAN_XDS_CLIENT_CA', 'xdsClientCa: /a', '/a', '/b', '/b'],
    ['xdsPort', 'MERIDIAN_XDS_PORT', 'xdsPort: 3', 3, '4', 4],
    ['proxyCertDir', 'MERIDIAN_PROXY_CERT_DIR', 'proxyCertDir: /a', '/a', '/b', '/b'],
  ];
  for (const [key, variable, yaml, fromFile, text, fromEnvironment] of given) {
    test(`${yaml} is read, and ${variable}=${text} wins`, () => {
      const file = { zoneName: 'east', ...readConfigFile(fileWith(yaml)) };
      assert.deepEqual(readSettings(ZONE, { environment: {}, file })[key], fromFile);
      assert.deepEqual(readSettings(ZONE, { environment: { [variable]: text }, file })[key], fromEnvironment);
    });
  }

  test('the table above has every setting', () => {
    assert.deepEqual([...new Set(given.map(([key]) => key))].sort(), Object.keys(ZONE).sort());
  });

  test('an empty variable counts as not set, except the NATS URL', () => {
    const environment = Object.fromEntries(Object.values(ZONE).map(({ variable }) => [variable, '']));
    assert.equal(readSettings(ZONE, { environment, file: { zoneName: 'east', apiPort: 7 } }).apiPort, 7);
    assert.equal(readSettings(COMMON, { environment, file: { natsUrl: 'nats://a' } }).natsUrl, '');
    assert.deepEqual(
      problemsOf(() => readSettings(ZONE, { environment, file: {} })),
      ['zoneName (MERIDIAN_ZONE_NAME) must be set'],
    );
  });

  const bad: readonly [variable: string, values: readonly string[]][] = [
    [
      'MERIDIAN_NATS_URL',
      ['nats', 'http://a', 'nats://', 'nats:// a', ' nats://a', 'nats://a,', 'nats://a,b', 'nats://a nats://b', 'nats://u:p,q@a'],
    ],
    ['MERIDIAN_ALLOW_INSECURE', ['yes', '1', 'TRUE']],
    ['MERIDIAN_API_ADDRESS', ['a b', 'http://a']],
    ['MERIDIAN_API_PORT', ['-1', '65536', '80.5', 'http', '0x50', '1e3']],
    ['MERIDIAN_API_HOSTNAMES', ['a b', 'http://a', 'a:5681', ',', 'a,,b', '*.example']],
    ['MERIDIAN_API_LOOPBACK_ADMIN', ['no', '0', 'FALSE']],
    ['MERIDIAN_DIAGNOSTICS_PORT', ['tcp://10.0.0.1:5680']],
    ['MERIDIAN_LOG_LEVEL', ['INFO', 'trace']],
    ['MERIDIAN_ZONE_NAME', ['global', 'East', 'a.b', '-a', 'a-', 'a_b', 'a'.repeat(64), '*', '>']],
    ['MERIDIAN_ENVIRONMENT', ['k8s']],
    ['MERIDIAN_SYSTEM_NAMESPACE', ['a.b']],
    ['MERIDIAN_SITE_ATTRIBUTES', ['geo', 'geo=a=b', '=eu', 'a=b,']],
    ['MERIDIAN_XDS_ADDRESS', ['localhost', '127.1', '[::1]', '10.0.0.1:1', '*']],
    ['MERIDIAN_XDS_PORT', ['x']],
    ['MERIDIAN_PROXY_CERT_DIR', ['certs', './certs']],
  ];
  for (const [variable, values] of bad) {
    test(`refuses ${variable}=${values.join(', ')}`, () => {
      for (const value of values) {
        const problems = problemsOf(() => readSettings(ZONE, { environment: { MERIDIAN_ZONE_NAME: 'east', [variable]: value }, file: {} }));
        assert.equal(problems.length, 1, value);
        assert.match(problems[0] ?? '', new RegExp(`^\\w+ \\(${variable}\\) must be `));
      }
    });
  }

  test('tells all problems at once, and no value', () => {
    const environment = { MERIDIAN_NATS_URL: 'nats:secret', MERIDIAN_API_PORT: 'secret' };
    const problems = problemsOf(() => readSettings(COMMON, { environment, file: { zoneName: 'east', apiport: 1 } }));
    assert.deepEqual(
      problems.map((problem) => problem.split(' ')[0]),
      ['zoneName', 'apiport', 'natsUrl', 'apiPort'],
    );
    assert.ok(!problems.join().includes('secret'));
  });
});

describe('a configuration file', () => {
  test('may be empty', () => {
    for (const text of ['', '# nothing\n', '---\n']) assert.deepEqual(readConfigFile(fileWith(text)), {});
  });

  for (const text of ['- a', 'text', 'a: 1\na: 2', 'a: {', 'natsUrl: "secret\n  x: 1', '&a [*a, *b]']) {
    test(`is refused: ${JSON.stringify(text)}`, () => {
      const problems = problemsOf(() => readConfigFile(fileWith(text)));
      assert.equal(problems.length, 1);
      assert.ok(problems[0]?.startsWith(folder) && !problems[0].includes('secret'), problems[0]);
    });
  }

  test('must be there', () => {
    assert.match(problemsOf(() => readConfigFile(join(folder, 'none')))[0] ?? '', /ENOENT/);
    assert.match(problemsOf(() => readConfigFile(folder))[0] ?? '', /EISDIR/);
  });
});

describe('a NATS without credentials', () => {
  const config = { natsUrl: 'nats://nats:4222', natsCreds: '', allowInsecure: false };

  for (const natsUrl of [
    '',
    'nats://127.0.0.1',
    'nats://127.1.2.3:1',
    'ws://localhost:80/x',
    'tls://[::1]:4222',
    'tls://u:p@nats',
    'wss://token@nats:1',
    'nats://127.0.0.1:1,nats://127.0.0.1:2',
    'tls://u:p@nats,tls://u:p@nats2',
    'tls://127.0.0.1,tls://u:p@nats',
  ]) {
    test(`is fine, or has some: ${natsUrl}`, () => assert.equal(insecurity({ ...config, natsUrl }), undefined));
  }

  const exposed = [
    'nats://nats',
    'tls://10.0.0.1:4222',
    'nats://127.0.0.1.example.org',
    'nats://localhost.example.org:4222',
    'nats://127.999.1.1:4222',
    'nats://localhost.:4222',
    'nats://[fe80::1]:4222',
    'nats://@nats',
    'nats://127.0.0.1,nats://nats',
    'nats://u:p@nats,nats://nats2',
    'tls://u:p@nats, tls://nats2',
  ];
  for (const natsUrl of exposed) {
    test(`must be allowed: ${natsUrl}`, () => {
      assert.match(problemsOf(() => insecurity({ ...config, natsUrl }))[0] ?? '', /MERIDIAN_NATS_URL/);
      assert.match(insecurity({ ...config, natsUrl, allowInsecure: true }) ?? '', /no credentials/);
      const encrypted = natsUrl.startsWith('tls:');
      assert.match(insecurity({ ...config, natsUrl, natsCreds: '/a' }) ?? '', encrypted ? /^$/ : /not encrypted/);
    });
  }
});

describe('TLS to NATS', () => {
  const none = { natsUrl: 'tls://nats', natsCa: '', natsCert: '', natsKey: '' };

  test('takes a CA, and a certificate with its key', () => {
    assert.deepEqual(natsTls({ ...none, natsUrl: 'nats://nats' }), { ca: undefined, cert: undefined, key: undefined });
    assert.deepEqual(natsTls({ ...none, natsCa: '/a', natsCert: '/c', natsKey: '/k' }), { ca: '/a', cert: '/c', key: '/k' });
  });

  for (const [wrong, field] of [
    [{ natsCert: '/c' }, /natsKey/],
    [{ natsKey: '/k' }, /natsCert/],
    [{ natsUrl: 'nats://nats', natsCa: '/a' }, /natsCa .*tls:/],
    [{ natsUrl: 'ws://nats', natsCert: '/c', natsKey: '/k' }, /natsCert .*tls:/],
    [{ natsUrl: 'tls://a,nats://b', natsCa: '/a' }, /natsCa .*tls:/],
    [{ natsUrl: '', natsCa: '/a' }, /natsCa .*tls:/],
  ] as const) {
    test(`does not take ${JSON.stringify(wrong)}`, () => assert.match(problemsOf(() => natsTls({ ...none, ...wrong }))[0] ?? '', field));
  }
});

describe('an xDS server', () => {
  const none = { xdsAddress: '127.0.0.1', xdsTlsCert: '', xdsTlsKey: '', xdsClientCa: '' };
  const pair = { xdsTlsCert: '/c', xdsTlsKey: '/k' };

  test('speaks plain text on loopback only, and TLS with both files', () => {
    for (const xdsAddress of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])
      assert.equal(xdsTls({ ...none, xdsAddress }), undefined);
    for (const xdsAddress of ['127.0.0.1', '0.0.0.0']) {
      assert.deepEqual(xdsTls({ ...none, ...pair, xdsAddress }), { cert: '/c', key: '/k', clientCa: undefined });
      assert.deepEqual(xdsTls({ ...none, ...pair, xdsAddress, xdsClientCa: '/a' }), { cert: '/c', key: '/k', clientCa: '/a' });
    }
  });

  const [cert, key] = ['xdsTlsCert (MERIDIAN_XDS_TLS_CERT)', 'xdsTlsKey (MERIDIAN_XDS_TLS_KEY)'];
  const refused: [config: Partial<typeof none>, fields: string[]][] = [
    ...['0.0.0.0', '::', '10.0.0.1', 'fe80::1', '::ffff:10.0.0.1'].map((xdsAddress): [Partial<typeof none>, string[]] => [
      { xdsAddress },
      [cert, key],
    ]),
    [{ xdsAddress: '0.0.0.0', xdsTlsCert: '/c' }, [key]],
    [{ xdsAddress: '0.0.0.0', xdsTlsKey: '/k' }, [cert]],
    [{ xdsTlsCert: '/c' }, [key]],
    [{ xdsTlsKey: '/k' }, [cert]],
    [{ xdsClientCa: '/a' }, [cert, key]],
  ];
  for (const [config, fields] of refused) {
    test(`is refused: ${JSON.stringify(config)}`, () => {
      const problems = problemsOf(() => xdsTls({ ...none, ...config }));
      assert.deepEqual(
        problems.map((problem) => problem.split(' must')[0]),
        fields,
      );
    });
  }
});

describe('an API without TLS', () => {
  const config = { apiAddress: '127.0.0.1', apiTlsCert: '', apiTlsKey: '', allowInsecure: false };

  for (const apiAddress of ['127.0.0.1', '127.9.9.9', '::1', 'localhost']) {
    test(`is fine on this machine: ${apiAddress}`, () => assert.equal(apiInsecurity({ ...config, apiAddress }), undefined));
  }

  for (const apiAddress of ['0.0.0.0', '::', '10.0.0.1', 'global.example', '127.0.0.1.example.org', '::ffff:10.0.0.1']) {
    test(`must be allowed elsewhere: ${apiAddress}`, () => {
      assert.match(problemsOf(() => apiInsecurity({ ...config, apiAddress }))[0] ?? '', /MERIDIAN_API_ADDRESS.*without TLS/);
      assert.match(apiInsecurity({ ...config, apiAddress, allowInsecure: true }) ?? '', /without TLS/);
      assert.equal(apiInsecurity({ ...config, apiAddress, apiTlsCert: '/a', apiTlsKey: '/b' }), undefined);
    });
  }

  for (const half of [{ apiTlsCert: '/a' }, { apiTlsKey: '/a' }]) {
    test(`is not what half of the files mean: ${Object.keys(half).join()}`, () => {
      for (const allowInsecure of [true, false]) {
        assert.match(problemsOf(() => apiInsecurity({ ...config, ...half, allowInsecure }))[0] ?? '', /must both be set/);
      }
    });
  }
});
