import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { addressKey, isForwarded } from './client-address.ts';

const PROXIES = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-client-cert',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'x-original-forwarded-for',
  'x-envoy-external-address',
  'x-cluster-client-ip',
];

test('what proxies add is known, empty too', () => {
  for (const header of PROXIES) for (const value of ['10.0.0.1', '']) assert.ok(isForwarded({ host: 'a', [header]: value }), header);
  assert.ok(!isForwarded({ host: 'a', 'user-agent': 'kumactl', accept: '*/*', 'x-request-id': '1', connection: 'close' }));
});

const KEYS: [address: string, key: string][] = [
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
];

test('limits count one customer, not one of their many addresses', () => {
  for (const [remoteAddress, key] of KEYS) assert.equal(addressKey({ socket: { remoteAddress } } as IncomingMessage), key);
});
