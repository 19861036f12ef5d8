import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inOrderOf } from './key-order.ts';

describe('inOrderOf', () => {
  const cases: [title: string, model: string, value: string, ordered: string][] = [
    ['turned', '{"a":1,"b":2}', '{"b":2,"a":1}', '{"a":1,"b":2}'],
    ['one more', '{"a":1,"b":2}', '{"b":3,"c":4,"a":1}', '{"a":1,"b":3,"c":4}'],
    ['one more in front', '{"a":1}', '{"z":0,"a":1}', '{"z":0,"a":1}'],
    ['one less', '{"a":1,"b":2,"c":3}', '{"c":3,"a":1}', '{"a":1,"c":3}'],
    ['in lists', '[{"a":1,"b":2}]', '[{"b":2,"a":1},{"y":1,"x":1}]', '[{"a":1,"b":2},{"y":1,"x":1}]'],
    ['another type', '{"a":[1]}', '{"a":{"y":1,"x":1}}', '{"a":{"y":1,"x":1}}'],
    ['nothing there', 'null', '{"b":2,"a":1}', '{"b":2,"a":1}'],
    ['names that objects have', '{"a":1}', '{"__proto__":{"y":1},"a":1}', '{"__proto__":{"y":1},"a":1}'],
  ];
  for (const [title, model, value, ordered] of cases) {
    it(title, () => assert.equal(JSON.stringify(inOrderOf(JSON.parse(model), JSON.parse(value))), ordered));
  }

  it('says the same, whatever the model', () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), (model, value) =>
        assert.deepEqual(inOrderOf(JSON.parse(model), JSON.parse(value)), JSON.parse(value)),
      ),
    );
  });
});
