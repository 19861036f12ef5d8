import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readable, readableUpTo } from './readable-text.ts';

test('what could steer a terminal or break a line is a space', () => {
  const table: [text: string, shown: string][] = [
    ['a b', 'a b'],
    ['zürich → 北京 😀', 'zürich → 北京 😀'],
    ['\u001b[2Jgone', ' [2Jgone'],
    ['a\r\nb\tc\u0000', 'a  b c '],
    ['\u009b31m', ' 31m'],
    ['\u202eevil\u2066', ' evil '],
    ['line\u2028break', 'line break'],
    ['half \ud800 of one', 'half   of one'],
  ];
  for (const [text, shown] of table) assert.equal(readable(text), shown);
});

test('what comes out is one line, no longer than asked for, and stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (text, most) => {
      const line = readableUpTo(most, text);
      assert.ok(line.length <= most);
      assert.doesNotMatch(line, /[\p{Cc}\p{Cs}\u2028\u2029]/u);
      assert.equal(readableUpTo(most, line), line);
    }),
  );
});
