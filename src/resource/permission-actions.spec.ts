import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from './resource.ts';
import { mtpOf } from './permission.ts';
import { decisionOf, listsSaying, MATCHER_LISTS, matchersOf, mayDeny, SHADOW_LISTS } from './permission-actions.ts';

test('on the shadow side the shadow of an action counts', () => {
  assert.deepEqual([decisionOf('AllowWithShadowDeny', 'enforced'), decisionOf('AllowWithShadowDeny', 'shadow')], ['Allow', 'Deny']);
  assert.deepEqual([decisionOf('DenyWithShadowAllow', 'enforced'), decisionOf('DenyWithShadowAllow', 'shadow')], ['Deny', 'Allow']);
});

test('each list says one thing on each side', () => {
  assert.deepEqual(listsSaying('Deny', 'enforced'), ['deny']);
  assert.deepEqual(listsSaying('Deny', 'shadow'), ['deny', 'allowWithShadowDeny']);
  assert.deepEqual(listsSaying('Allow', 'enforced'), ['allow', 'allowWithShadowDeny']);
  assert.deepEqual(listsSaying('Allow', 'shadow'), ['allow']);
  assert.deepEqual(SHADOW_LISTS, ['allowWithShadowDeny']);
  for (const side of ['enforced', 'shadow'] as const) {
    const said = [...listsSaying('Deny', side), ...listsSaying('Allow', side)];
    assert.deepEqual(said.sort(), [...MATCHER_LISTS].sort(), side);
  }
});

const matcher = { method: 'GET' };

/** What may deny: all that denies now, and what can't be read. */
const DENYING: readonly [spec: JsonObject, denies: boolean][] = [
  [{ default: { deny: [matcher] } }, true],
  [{ rules: [{ default: { deny: [matcher], allow: [matcher] } }] }, true],
  [{ default: { allowWithShadowDeny: [matcher] } }, false],
  [{ default: { allow: [matcher] } }, false],
  [{ from: [{ default: { action: 'DENY' } }] }, true],
  [{ from: [{ default: { action: 'ALLOW' } }, { default: { action: 'DenyWithShadowAllow' } }] }, true],
  [{ from: [{ default: { action: 'ALLOW_WITH_SHADOW_DENY' } }] }, false],
  [{ default: 'strange' }, true],
  [{}, false],
];

for (const [spec, denies] of DENYING)
  test(`${JSON.stringify(spec)} ${denies ? 'may deny' : 'denies nothing'}`, () => assert.equal(mayDeny(mtpOf(spec)), denies));

test('all matchers are those of all lists', () => {
  const lists = { deny: [{ method: 'GET' }], allow: [{ method: 'PUT' }], allowWithShadowDeny: [{ method: 'POST' }] };
  assert.deepEqual(
    matchersOf(mtpOf({ default: lists })).map(({ method }) => method),
    ['GET', 'PUT', 'POST'],
  );
});
