import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { repeatedKey } from './repeated-key.ts';

describe('repeatedKey', () => {
  const cases: [json: string, repeated: string | undefined][] = [
    ['{"a": {"b": 1}, "b": 2}', undefined],
    ['{"deny": [1], "deny": []}', 'deny'],
    ['{"deny" \n:1,"d\\u0065ny":2}', 'deny'],
    ['[{"a": 1}, {"a": 1}]', undefined],
    ['{"a": "b", "b": "a"}', undefined],
    ['{"a": ["x", "x"]}', undefined],
    ['{"a": [{"x": 1, "y": {"x": 1}, "x": 2}]}', 'x'],
    ['{"\\"": 1, "\\\\": 2, "\\"": 3}', '"'],
    ['{"a": "{\\"a\\": 1, \\"a\\": 2}"}', undefined],
    ['{"": 1, "": 2}', ''],
    ['"a"', undefined],
  ];
  for (const [json, repeated] of cases) it(`finds ${repeated} in ${json}`, () => assert.equal(repeatedKey(json), repeated));

  it('finds none in what JSON.stringify writes', () => {
    fc.assert(fc.property(fc.json(), (json) => repeatedKey(JSON.stringify(JSON.parse(json))) === undefined));
  });

  it('finds a key that was put in again, at any depth', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
    fc.assert(
      fc.property(object, fc.jsonValue(), fc.jsonValue(), (fields, again, beside) => {
        const [key = ''] = Object.keys(fields);
        const inner = JSON.stringify(fields);
        const twice = `${inner.slice(0, -1)}, ${JSON.stringify(key)} : ${JSON.stringify(again)}}`;
        return repeatedKey(`[${JSON.stringify(beside)}, {"outer": ${twice}}]`) !== undefined;
      }),
    );
  });
});
