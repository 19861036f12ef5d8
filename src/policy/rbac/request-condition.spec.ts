import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StringMatch } from '../../resource/string-match.ts';
import { type RequestMatch, conditionOf } from './request-condition.ts';
import { act, type RbacEffect, firstOf, toMatcher } from './envoy-matchers.ts';
import { decideByRbac } from '../../../test/harness/rbac-interpreter.ts';

function holds(asked: RequestMatch, effect: RbacEffect, wire: { method?: string; path?: string }): boolean {
  const predicate = conditionOf(asked, effect);
  assert.ok(predicate);
  const matcher = toMatcher(firstOf([{ predicate, onMatch: act('ALLOW', 'holds') }], act('DENY', 'holds not')));
  return decideByRbac({ matcher }, 'enforced', { sans: ['spiffe://td/a'], ...wire }).action === 'Allow';
}

const cases: readonly (readonly [StringMatch['type'], value: string, yes: readonly string[], no: readonly string[]])[] = [
  ['Exact', '/v2', ['/v2', '/v2?', '/v2?a=/b', '/v2#x'], ['/v2/', '/v2/?a', '/v22', '/', '/V2', '/x?/v2', '/x/v2']],
  ['Prefix', '/v2', ['/v2', '/v2?a', '/v2/', '/v2/x?a', '/v2#x'], ['/v22', '/v', '/', '/x/v2', '/v2;x', '/v2%2Fx']],
  ['Prefix', '/v2/', ['/v2', '/v2/', '/v2/x'], ['/v22', '/v']],
  ['Prefix', '/', ['/', '/?a', '/x', '/x/y'], ['*']],
  ['Exact', '/', ['/', '/?a'], ['/x', '//']],
];
for (const [type, value, yes, no] of cases) {
  test(`${type} ${value}`, () => {
    for (const path of yes)
      for (const effect of ['ALLOW', 'DENY'] as const) assert.ok(holds({ path: { type, value } }, effect, { path }), path);
    for (const path of no) assert.ok(!holds({ path: { type, value } }, 'ALLOW', { path }), path);
  });
}

test('a method, alone and with a path', () => {
  const path = { type: 'Prefix', value: '/v2' } as const;
  assert.ok(holds({ method: 'GET' }, 'ALLOW', { method: 'GET', path: '/' }));
  assert.ok(!holds({ method: 'GET' }, 'DENY', { method: 'get', path: '/' }));
  assert.ok(holds({ method: 'GET', path }, 'DENY', { method: 'GET', path: '/v2/x' }));
  assert.ok(!holds({ method: 'GET', path }, 'DENY', { method: 'POST', path: '/v2/x' }));
  assert.ok(!holds({ method: 'GET', path }, 'DENY', { method: 'GET', path: '/x' }));
});

test('without a path a deny holds and an allow does not', () => {
  const path = { type: 'Exact', value: '/v2' } as const;
  assert.ok(holds({ path }, 'DENY', { method: 'CONNECT' }));
  assert.ok(!holds({ path }, 'ALLOW', { method: 'CONNECT' }));
});

test('nothing asked is no condition', () => assert.equal(conditionOf({}, 'DENY'), undefined));
