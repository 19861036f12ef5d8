import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secondsOf } from './valid-for.ts';

const GIVEN: [text: unknown, seconds: number | undefined][] = [
  ['24h', 86_400],
  ['24h0m0s', 86_400],
  ['1h30m0s', 5_400],
  ['90m', 5_400],
  ['30s', 30],
  ['8784h', 366 * 86_400],
  ['8784h1s', undefined],
  ['0s', undefined],
  ['0h0m0s', undefined],
  ['', undefined],
  ['1.5h', undefined],
  ['-1h', undefined],
  ['1d', undefined],
  ['30s1h', undefined],
  ['1h ', undefined],
  ['24', undefined],
  ['99999999999999999999h', undefined],
  [24, undefined],
  [null, undefined],
];

for (const [text, seconds] of GIVEN) test(`${JSON.stringify(text)} is ${seconds}`, () => assert.equal(secondsOf(text), seconds));
