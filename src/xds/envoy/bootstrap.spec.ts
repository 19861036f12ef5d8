import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MeridianError } from '../../errors.ts';
import type { JsonObject } from '../../resource/resource.ts';
import { bootstrap } from './bootstrap.ts';

const INPUT = { mesh: 'default', name: 'backend-1.shop', xdsAddress: '127.0.0.1:5678', token: 'the-token', adminPort: 9901 };
const find = (value: unknown, ...path: (string | number)[]) =>
  path.reduce<unknown>((of, step) => (of as Record<string, unknown>)[step], value);
const clusterOf = (json: JsonObject) => find(json, 'staticResources', 'clusters', 0);
const endpoint = ['loadAssignment', 'endpoints', 0, 'lbEndpoints', 0, 'endpoint', 'address', 'socketAddress'];

it('says who the proxy is, and proves it', () => {
  const json = bootstrap(INPUT);
  assert.deepEqual(json.node, { id: 'default.backend-1.shop', cluster: 'default' });
  const service = find(json, 'dynamicResources', 'adsConfig', 'grpcServices', 0);
  assert.deepEqual(find(service, 'initialMetadata'), [{ key: 'authorization', value: 'Bearer the-token' }]);
  assert.equal(find(service, 'envoyGrpc', 'clusterName'), find(clusterOf(json), 'name'));
  assert.deepEqual(find(json, 'admin', 'address', 'socketAddress'), { address: '127.0.0.1', portValue: 9901 });
});

it('finds the zone at an address or by a name, with TLS where a CA is given', () => {
  const cases = [
    ['127.0.0.1:5678', 'STATIC', { address: '127.0.0.1', portValue: 5678 }, 'IP_ADDRESS'],
    ['[::1]:1', 'STATIC', { address: '::1', portValue: 1 }, 'IP_ADDRESS'],
    ['zone.example:65535', 'STRICT_DNS', { address: 'zone.example', portValue: 65_535 }, 'DNS'],
  ] as const;
  for (const [xdsAddress, type, socketAddress, sanType] of cases) {
    const cluster = clusterOf(bootstrap({ ...INPUT, xdsAddress }));
    assert.equal(find(cluster, 'type'), type);
    assert.deepEqual(find(cluster, ...endpoint), socketAddress);
    assert.equal(find(cluster, 'transportSocket'), undefined);
    const tls = clusterOf(bootstrap({ ...INPUT, xdsAddress, xdsCa: '/ca.pem' }));
    const validation = find(tls, 'transportSocket', 'typedConfig', 'commonTlsContext', 'validationContext');
    assert.deepEqual(find(validation, 'trustedCa'), { filename: '/ca.pem' });
    assert.deepEqual(find(validation, 'matchTypedSubjectAltNames'), [{ sanType, matcher: { exact: socketAddress.address } }]);
  }
});

it('proves who it is by a certificate, over TLS, instead of the token', () => {
  const [xdsCa, xdsIdentity] = ['/ca.pem', { cert: '/c.pem', key: '/k.pem' }];
  const json = bootstrap({ ...INPUT, token: undefined, xdsCa, xdsIdentity });
  const own = find(clusterOf(json), 'transportSocket', 'typedConfig', 'commonTlsContext', 'tlsCertificates', 0);
  assert.deepEqual(own, { certificateChain: { filename: '/c.pem' }, privateKey: { filename: '/k.pem' } });
  assert.deepEqual(find(json, 'dynamicResources', 'adsConfig', 'grpcServices', 0, 'initialMetadata'), []);
  for (const without of [{}, { xdsCa }, { xdsIdentity }]) {
    assert.throws(() => bootstrap({ ...INPUT, token: undefined, ...without }), MeridianError, JSON.stringify(without));
  }
});

it('refuses what is no address', () => {
  for (const xdsAddress of ['', 'a', 'a:', ':1', 'a:0', 'a:65536', 'a:b', '::1:5678', '[a', 'a b:1', 'http://a:1']) {
    assert.throws(() => bootstrap({ ...INPUT, xdsAddress }), MeridianError, xdsAddress);
  }
});
