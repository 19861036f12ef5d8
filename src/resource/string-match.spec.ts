import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldMatch, MATCH_TYPES, type MatchCases, matchesText } from './string-match.ts';

const NAMED: MatchCases<string> = { Exact: (value) => `Exact ${value}`, Prefix: (value) => `Prefix ${value}` };

test('a match is given to the case of its type; a slash at the end of a prefix says nothing', () => {
  for (const type of MATCH_TYPES) assert.equal(foldMatch({ type, value: 'spiffe://td/a' }, NAMED), `${type} spiffe://td/a`);
  assert.equal(foldMatch({ type: 'Prefix', value: '/a/' }, NAMED), 'Prefix /a');
  assert.equal(foldMatch({ type: 'Exact', value: '/a/' }, NAMED), 'Exact /a/');
});

test('a prefix is compared in whole segments', () => {
  const prefix = { type: 'Prefix', value: 'spiffe://td/ns/pay' } as const;
  const texts = ['spiffe://td/ns/pay', 'spiffe://td/ns/pay/sa/api', 'spiffe://td/ns/payroll', 'spiffe://td/ns'];
  assert.deepEqual(
    texts.map((text) => matchesText(prefix, text)),
    [true, true, false, false],
  );
  assert.deepEqual(
    texts.map((text) => matchesText({ ...prefix, type: 'Exact' }, text)),
    [true, false, false, false],
  );
});
