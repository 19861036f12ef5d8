import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isOtherSpelling, otherSpellings } from './path-spellings.ts';

const whole = (value: string) => ({ type: 'Exact', value }) as const;

describe('other spellings of a path', () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    '/admin/a-b_c.d~e': [],
    '/a!b': ['/a%21'],
    '/a%21b': ['/a!'],
    '/x%2Ay': ['/x*', '/x%2a'],
    '/%7bid}': ['/{', '/%7B', '/%7bid%7d', '/%7bid%7D'],
    // Neither a space nor the end of a path is there in plain.
    '/a%20b': [],
    '/a%3Fb': ['/a%3f'],
    '/%C3%A4': ['/%c3', '/%C3%a4'],
  };
  for (const [path, spellings] of Object.entries(cases)) it(path, () => assert.deepEqual(otherSpellings(whole(path)), spellings));

  it('of a path with many such characters are all that begins like it', () => {
    const spellings = otherSpellings(whole(`/${'!'.repeat(1_000)}`));
    assert.equal(spellings.length, 17);
    assert.equal(spellings.at(-1), `/${'!'.repeat(16)}`);
  });

  it('hold every way to write it, and never the path itself', () => {
    const character = fc.constantFrom('a', '/', '!', '*', '{', '|', ':', '@', "'");
    const written = fc.tuple(character, fc.constantFrom('plain', 'upper', 'lower'));
    const as = (one: string, how: string): string => {
      const hex = one.charCodeAt(0).toString(16);
      return how === 'plain' || /[a/]/.test(one) ? one : `%${how === 'upper' ? hex.toUpperCase() : hex}`;
    };
    fc.assert(
      fc.property(
        fc.array(written, { maxLength: 12 }),
        fc.array(fc.constantFrom('plain', 'upper', 'lower'), { minLength: 12 }),
        (ways, others) => {
          const value = `/${ways.map(([one, how]) => as(one, how)).join('')}`;
          const asked = `/${ways.map(([one], index) => as(one, others[index] ?? 'plain')).join('')}`;
          assert.equal(isOtherSpelling({ type: 'Exact', value }, asked), asked !== value);
        },
      ),
    );
  });
});
