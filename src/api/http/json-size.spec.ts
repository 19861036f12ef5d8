import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ReadingLimits } from '../../resource/documents/reading-limits.ts';
import { jsonBeyond } from './json-size.ts';

const SMALL: ReadingLimits = { parts: 100, aliases: 0, documents: 5 };

/** The place is where it stopped: nothing behind it was looked at, and nothing parsed. */
const TABLE: readonly [name: string, text: string, expected: RegExp | undefined][] = [
  ['keys of an object', `{"a": {${'"k":1,'.repeat(10_000)}`, /^line 1, column 30\d: has more than 100 parts in one document/],
  ['values of a list in an object', `{"a": [${'1,'.repeat(10_000)}`, /^line 1, column 20\d: has more than 100 parts/],
  ['documents of a list', ` \n [${'{},'.repeat(10_000)}`, /^line 2, column 17: has more than 5 documents: divide the text/],
  ['documents count for themselves', `[${'[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],'.repeat(3)}1]`, undefined],
  ['nesting', `[${'['.repeat(10_000)}`, /^line 1, column 101: has more than 100 parts/],
  ['nesting of objects', '{"a":'.repeat(10_000), /^line 1, column \d+: (nests deeper|has more)/],
  ['signs within a text', `{"a": "${'[{,:\\"'.repeat(1_000)}", "b": "\\\\"}`, undefined],
  ['a text without an end', `["${'x'.repeat(1_000)}`, undefined],
  ['nothing', '', undefined],
];

describe('a text of JSON is looked at before it is parsed', () => {
  for (const [name, text, expected] of TABLE) {
    it(name, () => {
      const reason = jsonBeyond(text, SMALL);
      if (expected) assert.match(reason ?? '', expected);
      else assert.equal(reason, undefined);
    });
  }

  it('nesting without end is refused where it is too deep', () => {
    assert.equal(jsonBeyond('['.repeat(10_000)), 'line 1, column 129: nests deeper than 64 levels: nothing after it was read');
  });

  it('what is small is never refused, whatever is in its texts', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        assert.equal(jsonBeyond(JSON.stringify(value), { parts: 10_000, aliases: 0, documents: 1_000 }), undefined);
      }),
    );
  });
});
