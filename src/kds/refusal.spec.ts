import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { keyTuple } from '../resource/key.ts';
import type { JsonObject } from '../resource/resource.ts';
import type { Refusal } from '../resource/store/store.ts';
import { cutReason, decodeRefusal, digestOfRefusals, inForceAfterRefusal } from './refusal.ts';

const KEY = { type: 'MeshTimeout', mesh: 'default', zone: 'east', namespace: 'app', name: 'slow' };
const REFUSAL: Refusal = { key: KEY, hash: 'a'.repeat(64), reason: 'no', since: '2026-01-01T00:00:00Z', inForce: 'none' };

test('what may hold a deny fails closed, unless something of it is in force', () => {
  const table: [type: string, hasPrevious: boolean, inForce: string][] = [
    ['MeshTimeout', false, 'none'],
    ['MeshTimeout', true, 'previous'],
    ['MeshTrafficPermission', false, 'deny'],
    ['MeshTrafficPermission', true, 'previous'],
    ['AccessPolicy', false, 'deny'],
    ['PrivilegedAccessPolicy', false, 'deny'],
  ];
  for (const [type, hasPrevious, inForce] of table) assert.equal(inForceAfterRefusal({ ...KEY, type }, hasPrevious), inForce, type);
});

test('a permission that says nothing denies nothing, also where it is refused', () => {
  const key = { ...KEY, type: 'MeshTrafficPermission' };
  for (const spec of [{}, { default: {} }, { rules: [] }, { rules: [{ default: { deny: [] } }] }, { from: [{ default: {} }] }]) {
    assert.equal(inForceAfterRefusal(key, false, spec), 'none', JSON.stringify(spec));
    assert.equal(inForceAfterRefusal(key, true, spec), 'previous', JSON.stringify(spec));
  }
  const deny = [{ method: 'GET' }];
  for (const spec of [
    { moon: 1 },
    { rules: null },
    { default: { deny: [{}] } },
    { rules: [{}, { default: { deny } }] },
    { from: [{ x: 1 }] },
  ])
    assert.equal(inForceAfterRefusal(key, false, spec as JsonObject), 'deny', JSON.stringify(spec));
});

test('the digest tells lists apart, but not times', () => {
  const digest = digestOfRefusals([REFUSAL]);
  assert.equal(digestOfRefusals([]), '');
  assert.equal(digestOfRefusals([{ ...REFUSAL, since: 'later' }]), digest);
  const others: Partial<Refusal>[] = [{ key: { ...KEY, name: 'b' } }, { hash: 'b'.repeat(64) }, { reason: 'never' }, { inForce: 'deny' }];
  for (const other of others) assert.notEqual(digestOfRefusals([{ ...REFUSAL, ...other }]), digest, JSON.stringify(other));
});

test('a line reads as it was written, with a reason of one line', () => {
  const line = JSON.stringify({ ...REFUSAL, key: keyTuple(KEY), reason: 'x'.repeat(900) });
  assert.deepEqual(decodeRefusal(line), { ...REFUSAL, reason: cutReason('x'.repeat(900)) });
  assert.equal(cutReason('x'.repeat(900)).length, 500);
  const steering = JSON.stringify({ ...REFUSAL, key: keyTuple(KEY), reason: 'no\u001b[2J\r\nreally\ud800' });
  assert.equal(decodeRefusal(steering)?.reason, 'no [2J  really ');
});

test('no line makes it throw', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (line) => void decodeRefusal(line)));
  for (const line of ['', 'null', '{}', JSON.stringify({ ...REFUSAL, key: [] })]) assert.equal(decodeRefusal(line), undefined);
});
