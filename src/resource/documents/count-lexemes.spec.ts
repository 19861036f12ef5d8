import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BODY_LIMITS, type ReadingLimits } from './reading-limits.ts';
import { readDocuments } from './read-documents.ts';

const SMALL: ReadingLimits = { parts: 100, aliases: 10, documents: 5 };

function read(text: string, limits = SMALL): unknown[] {
  return readDocuments(text, limits).map((one) => ('problem' in one ? one.problem.reason : one.value));
}

/** The place is where reading stopped: after so many parts, whatever comes then. */
const STOPPED: readonly [name: string, unit: string, place: RegExp, what: RegExp][] = [
  ['values of a flow list', '1,', /^line 1, column 100:/, /more than 100 parts in one document/],
  ['values of a block list', '\n- 1', /^line 2\d, column/, /100 parts/],
  ['flow maps', '{a: 1},', /^line 1, column (9\d|10\d):/, /100 parts/],
  ['comments', '\n# c', /^line 51, column/, /100 parts/],
  ['line ends', '\n', /^line 101, column/, /100 parts/],
  ['tags', '!!str 1,', /^line 1, column (19|20)\d:/, /100 parts/],
  ['texts in quotes', '"*",', /^line 1, column 19\d:/, /100 parts/],
  ['aliases', '*a,', /^line 1, column 35:/, /more than 10 anchors and aliases/],
  ['anchors', '&a 1,', /^line 1, column 5\d:/, /10 anchors and aliases/],
  ['documents', '\n---\na: 1', /^line 10, column/, /more than 5 documents: divide the text/],
  ['empty documents', '\n---', /^line 6, column/, /5 documents/],
  ['levels', '[', /^line 1, column 1[23]\d:/, /nests deeper than 64 levels/],
];

describe('a text of YAML is read no further than its limits', () => {
  for (const [name, unit, place, what] of STOPPED) {
    it(name, () => {
      const head = unit.startsWith('\n') ? '' : 'a: [';
      const limits = name === 'levels' ? BODY_LIMITS : SMALL;
      const reasons = read(head + unit.repeat(10_000), limits);
      assert.match(String(reasons.at(-1)), place);
      assert.match(String(reasons.at(-1)), what);
      assert.match(String(reasons.at(-1)), /: nothing after it was read$/);
    });
  }

  it('what it read before is told', () => {
    assert.deepEqual(read(`a: 1\n---\nb: [${'1,'.repeat(1000)}]`)[0], { a: 1 });
  });

  it('counts each document for itself, and all aliases together', () => {
    const documents = (unit: string) => Array.from({ length: 4 }, () => unit).join('\n---\n');
    assert.equal(read(documents(`a: [${'1,'.repeat(40)}1]`)).length, 4);
    assert.match(String(read(documents('a: &a 1\nb: *a\nc: *a')).at(-1)), /10 anchors and aliases/);
  });

  it('a text that looks like an alias or a document is a text', () => {
    const texts = Array.from({ length: 9 }, (_, index) => `k${index}: "*a"\nb${index}: |\n  *b\n  ---`);
    assert.equal(typeof read(texts.join('\n'))[0], 'object');
  });
});

describe('aliases count as what they stand for', () => {
  it('is refused when it would be too much, and never written out', () => {
    const many = (count: number) => `a: &a [${'1,'.repeat(12)}1]\nb: [${'*a,'.repeat(count)}]`;
    assert.match(String(read(many(8))[0]), /^line 1, column 1: written out, it has more than 100 parts/);
    assert.equal(typeof read(many(4))[0], 'object');
  });

  it('merge keys too', () => {
    const map = Array.from({ length: 12 }, (_, index) => `k${index}: 1`).join(', ');
    const text = `a: &a {${map}}\nb:\n${'- {<<: *a}\n'.repeat(7)}`;
    assert.match(String(read(text, { ...SMALL, parts: 200 })[0]), /written out, it has more than 200 parts/);
  });

  it('with the real limits, a chain of lists of lists', () => {
    const chain = Array.from({ length: 7 }, (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index},`.repeat(9)}]`);
    assert.match(String(read(`a0: &a0 [1]\n${chain.join('\n')}`, BODY_LIMITS)[0]), /written out, it has more than 250000 parts/);
  });
});
