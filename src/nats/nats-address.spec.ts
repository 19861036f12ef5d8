import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MeridianError } from '../errors.ts';
import { parseAddress, parseAddresses } from './nats-address.ts';

const GOOD: readonly [string, Partial<ReturnType<typeof parseAddress>>][] = [
  ['nats://127.0.0.1:4222', { protocol: 'nats', host: '127.0.0.1', port: 4222, url: 'nats://127.0.0.1:4222' }],
  ['nats://nats', { host: 'nats', port: 4222, url: 'nats://nats:4222' }],
  ['nats://nats:80', { port: 80, url: 'nats://nats:80' }],
  ['tls://nats.example.org/', { protocol: 'tls', port: 4222, url: 'tls://nats.example.org:4222' }],
  ['ws://nats', { protocol: 'ws', port: 80, url: 'ws://nats:80' }],
  ['wss://nats/way/in', { protocol: 'wss', port: 443, url: 'wss://nats:443/way/in' }],
  ['wss://nats:8443', { port: 8443, url: 'wss://nats:8443' }],
  ['nats://[::1]:4333', { host: '::1', port: 4333, url: 'nats://[::1]:4333' }],
  ['nats://a:b%40c@nats', { url: 'nats://nats:4222', user: { name: 'a', password: 'b@c' } }],
  ['nats://token@nats:80', { url: 'nats://nats:80', token: 'token' }],
];

for (const [text, expected] of GOOD) {
  test(`takes ${text} apart`, () => {
    const address = parseAddress(text);
    assert.deepEqual({ ...address, ...expected }, address);
  });
}

for (const text of [
  '',
  'nats',
  'http://secret@nats',
  'nats://',
  'nats://secret@:4222',
  'nats://secret@ho st',
  'nats://secret:%zz@nats',
  'nats://nats:99999',
]) {
  test(`refuses ${text || 'nothing'} and does not repeat it`, () => {
    assert.throws(
      () => parseAddress(text),
      (thrown) => thrown instanceof MeridianError && thrown.code === 'invalid' && !thrown.message.includes('secret'),
    );
  });
}

test('takes a list apart, each server with its own user', () => {
  const list = parseAddresses('tls://a, tls://u:p%2Cq@b:4333,tls://[::1]');
  assert.deepEqual(
    list.map(({ url, user }) => [url, user?.password]),
    [
      ['tls://a:4222', undefined],
      ['tls://b:4333', 'p,q'],
      ['tls://[::1]:4222', undefined],
    ],
  );
});

for (const text of [
  'nats://a,tls://secret@b',
  'ws://a,nats://b',
  'wss://a,ws://b',
  'nats://a,',
  ',nats://a',
  'nats://a,,nats://b',
  'nats://u:secret,more@a',
  'nats://a,b:4222',
]) {
  test(`refuses the list ${text}`, () => {
    assert.throws(
      () => parseAddresses(text),
      (thrown) => thrown instanceof MeridianError && thrown.code === 'invalid' && !thrown.message.includes('secret'),
    );
  });
}
