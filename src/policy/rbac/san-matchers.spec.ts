import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, firstOf, type Predicate, toMatcher } from './envoy-matchers.ts';
import { decideByRbac } from '../../../test/harness/rbac-interpreter.ts';
import { has, hasBelow, hasId, isId, NOT_ONE } from './san-matchers.ts';

function holds(predicate: Predicate, sans: readonly string[]): boolean {
  const matcher = toMatcher(firstOf([{ predicate, onMatch: act('ALLOW', 'holds') }], act('DENY', 'holds not')));
  return decideByRbac({ matcher }, 'enforced', { sans }).action === 'Allow';
}

/** Every place among others that a SAN can have. */
function places(san: string): string[][] {
  const others = ['kuma://env/dev', 'spiffe://z/y'];
  return [[san], [san, ...others], ['kuma://env/dev', san, 'spiffe://z/y'], [...others, san]];
}

const NEAR = [
  'spiffe://td/payroll',
  'spiffe://td',
  'spiffe://td/pa',
  'spiffe://td/x/pay',
  'xspiffe://td/pay',
  'spiffe://td.evil/pay',
  'spiffe://TD/pay',
];

test('one of the SANs, wherever it stands', () => {
  for (const sans of places('spiffe://td/pay')) assert.ok(holds(has('spiffe://td/pay'), sans), sans.join());
  for (const near of [...NEAR, 'spiffe://td/pay/x'])
    for (const sans of places(near)) assert.ok(!holds(has('spiffe://td/pay'), sans), sans.join());
  assert.ok(!holds(has('spiffe://td/pay'), []));
});

test('one that begins so, wherever it stands', () => {
  for (const sans of places('spiffe://td/pay')) assert.ok(holds(hasBelow('spiffe://td/'), sans), sans.join());
  for (const near of ['spiffe://td.evil/x', 'kuma://spiffe://td/x', 'spiffe://td']) {
    for (const sans of places(near)) assert.ok(!holds(hasBelow('spiffe://td/'), sans), sans.join());
  }
});

test('an identity of a deny, among others or alone; one of an allow, alone', () => {
  for (const value of ['spiffe://td/pay', 'spiffe://td/pay/']) {
    for (const san of ['spiffe://td/pay', 'spiffe://td/pay/sa/x']) {
      for (const sans of places(san)) assert.ok(holds(hasId({ type: 'Prefix', value }), sans), sans.join());
      assert.ok(holds(isId({ type: 'Prefix', value }), [san]));
    }
    for (const near of NEAR) for (const sans of places(near)) assert.ok(!holds(hasId({ type: 'Prefix', value }), sans), sans.join());
    for (const near of NEAR) assert.ok(!holds(isId({ type: 'Prefix', value }), [near]), near);
  }
  assert.ok(!holds(isId({ type: 'Exact', value: 'spiffe://td/pay' }), ['spiffe://td/pay/sa/x']));
  assert.ok(!holds(hasId({ type: 'Exact', value: 'spiffe://td/pay' }), ['spiffe://td/pay/sa/x']));
});

test('exactly one', () => {
  assert.ok(holds(NOT_ONE, []));
  assert.ok(!holds(NOT_ONE, ['spiffe://td/a']));
  assert.ok(holds(NOT_ONE, ['spiffe://td/a', 'kuma://a/b']));
  // It may be two: an allow list can't know.
  assert.ok(holds(NOT_ONE, ['spiffe://td/a,spiffe://td/b']));
});
