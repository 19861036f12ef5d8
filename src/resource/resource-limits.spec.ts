import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_LEVELS, shapeProblems } from './resource-limits.ts';

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let level = 1; level < levels; level++) value = level % 2 === 0 ? { a: value } : [value];
  return value;
}

test('any JSON value of few levels is fit', () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => assert.deepEqual(shapeProblems(value, []), [])));
});

test('64 levels are fit, 65 are not, a hundred thousand do no harm', () => {
  assert.deepEqual(shapeProblems(nested(MAX_LEVELS), ['spec']), []);
  assert.match(shapeProblems(nested(MAX_LEVELS + 1), ['spec'])[0]?.reason ?? '', /deeper than 64/);
  assert.equal(shapeProblems(nested(100_000), ['spec']).length, 1);
});

test('everything that JSON does not know is refused, with its path and in order', () => {
  const value = {
    a: [Number.NaN, 1],
    'b c': JSON.parse('{"__proto__": 1, "<<": 1}') as unknown,
    d: new Date(0),
    e: undefined,
    f: 1n,
    g: new Map(),
  };
  assert.deepEqual(
    shapeProblems(value, ['spec']).map(({ field }) => field),
    ['spec.a[0]', 'spec["b c"].__proto__', 'spec["b c"]["<<"]', 'spec.d', 'spec.f', 'spec.g'],
  );
});

test('a text that is not well formed is refused wherever it stands, a name of a field too; whole characters are not', () => {
  const value = { a: ['\ud800', '\udc00a', '😀'], '\udfff': 1, b: { 'c\ud83d': {}, '😀': 'é' } };
  assert.deepEqual(
    shapeProblems(value, ['spec']).map(({ field, reason }) => [field, /well formed/.test(reason)]),
    [
      ['spec.a[0]', true],
      ['spec.a[1]', true],
      ['spec["\\udfff"]', true],
      ['spec.b["c\\ud83d"]', true],
    ],
  );
});
