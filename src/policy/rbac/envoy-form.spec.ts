import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formFor } from './envoy-form.ts';

test('trees for those that were tried and later ones, a list for older and unknown ones', () => {
  for (const minor of [36, 38, 40, 41]) assert.equal(formFor({ major: 1, minor }), 'trees');
  assert.equal(formFor({ major: 2, minor: 0 }), 'trees');
  for (const minor of [0, 9, 35]) assert.equal(formFor({ major: 1, minor }), 'list');
  assert.equal(formFor(undefined), 'list');
});
