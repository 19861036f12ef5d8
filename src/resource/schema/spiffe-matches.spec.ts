import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MATCH_TYPES } from '../string-match.ts';
import { pathReason, spiffeReason } from './spiffe-matches.ts';

test('SPIFFE IDs', () => {
  const both = [
    'spiffe://td',
    'spiffe://trust-domain.mesh/ns/default/sa/frontend',
    'spiffe://x/0',
    'spiffe://default/a_b_svc_80',
    'spiffe://1.2/A',
  ];
  const neither = [
    ...['', 'spiffe://', 'spiffe:///a', 'http://td/a', 'SPIFFE://td', 'spiffe://Td', 'spiffe://t d', 'spiffe://td:80/a', 'spiffe://u@td/a'],
    ...['spiffe://td//a', 'spiffe://td/a//', 'spiffe://td/./a', 'spiffe://td/..', 'spiffe://td/../', 'spiffe://td/a?b', 'spiffe://td/a#b'],
    ...[
      'spiffe://td/a b',
      'spiffe://td/%41',
      'spiffe://td/ä',
      'spiffe://td/*',
      'spiffe://td/a\n',
      'spiffe://td,spiffe://x',
      `spiffe://td/${'a'.repeat(2048)}`,
    ],
  ];
  for (const value of both) for (const type of MATCH_TYPES) assert.equal(spiffeReason(type, value), undefined, value);
  for (const value of neither) for (const type of MATCH_TYPES) assert.notEqual(spiffeReason(type, value), undefined, value);
  for (const value of ['spiffe://td/', 'spiffe://td/ns/']) {
    assert.equal(spiffeReason('Prefix', value), undefined);
    assert.notEqual(spiffeReason('Exact', value), undefined);
  }
});

test('paths', () => {
  for (const value of ['/', '/metrics', '/a/', '/a.b/..c/.d', '/a%20b', '/~u/@*']) assert.equal(pathReason(value), undefined, value);
  for (const value of [
    ...['', 'a', '/a?b', '/a#b', '//', '/a//b', '/a//', '/.', '/..', '/a/./b', '/a/../b', '/a/..', '/a b', '/ä', '/a\\b', '/a\n'],
    ...['/%', '/%4', '/%zz', '/%41', '/%2F', '/%2e%2e', '/%5c', '/a;b=c', '/;', '/a%3bx', '/a%3B'],
  ]) {
    assert.notEqual(pathReason(value), undefined, value);
  }
});
