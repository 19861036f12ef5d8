import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPath, isObject, quote } from './field-path.ts';

test('paths read like code', () => {
  assert.equal(formatPath(['spec', 'to', 0, 'targetRef']), 'spec.to[0].targetRef');
  assert.equal(formatPath(['labels', 'kuma.io/mesh']), 'labels["kuma.io/mesh"]');
  assert.equal(formatPath(['a b', 'c']), '["a b"].c');
  assert.equal(formatPath([]), '');
});

test('only plain objects are objects', () => {
  for (const value of [{}, Object.create(null), JSON.parse('{"__proto__": null}')] as unknown[]) assert.equal(isObject(value), true);
  for (const value of [null, undefined, [], 'a', 1, new Date(), new Map(), () => 1]) assert.equal(isObject(value), false);
});

test('a quoted text is short and one line', () => {
  assert.equal(quote('a\n"'), '"a\\n\\""');
  assert.equal(quote('a'.repeat(200)).length, 85);
});
