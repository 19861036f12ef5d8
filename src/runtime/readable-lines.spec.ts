import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readableLine } from './readable-lines.ts';

const line = (more: object) => `${JSON.stringify({ level: 'info', time: '2026-01-31T12:00:00.000Z', ...more })}\n`;

test('a line for a person has the time, the level, the component, what happened, and the rest', () => {
  const cases: readonly [object, string][] = [
    [{ component: 'api', port: 5681, msg: 'listening' }, '12:00:00 info  api: listening  port=5681\n'],
    [{ level: 'error', msg: 'lines of the log were lost', lost: 3 }, '12:00:00 error lines of the log were lost  lost=3\n'],
    [{ msg: 'a', reason: 'two words', list: [1], none: null }, '12:00:00 info  a  reason="two words" list=[1] none=null\n'],
    [{ msg: 'a\u001b[2J', zone: 'x\u009by', name: '\u202ez' }, '12:00:00 info  a\\u001b[2J  zone="x\\u009by" name=\\u202ez\n'],
  ];
  for (const [more, expected] of cases) assert.equal(readableLine(line(more), false), expected);
});

test('with colour, the level stands out', () => {
  assert.match(readableLine(line({ level: 'warn', msg: 'a' }), true), /\u001b\[33mwarn \u001b\[39m a\n$/);
});

test('what is no line of the log stays as it is', () => {
  for (const text of ['text\n', '[1]\n', '{"level":30}\n', '']) assert.equal(readableLine(text, true), text);
});
