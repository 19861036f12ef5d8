import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readDocuments } from './read-documents.ts';

/** Each document as its value, or as the reason why it has none. */
function read(text: string): unknown[] {
  return readDocuments(text).map((document) => ('problem' in document ? document.problem.reason : document.value));
}

const TABLE: readonly [name: string, text: string, expected: unknown[]][] = [
  ['several documents', 'a: 1\n---\nb: 2', [{ a: 1 }, { b: 2 }]],
  ['empty documents are left out', '---\n---\n# nothing\n---\na: 1\n---\n', [{ a: 1 }]],
  ['nothing at all', '', []],
  ['JSON with tabs', '{\n\t"a": [\n\t\t1\n\t]\n}', [{ a: [1] }]],
  ['a byte order mark and CRLF', '\ufeffa: 1\r\nb: 2\r\n', [{ a: 1, b: 2 }]],
  ['keys are strings', '1: a\ntrue: b', [{ 1: 'a', true: 'b' }]],
  [
    'no timestamps and no sexagesimals, even where a document asks for them',
    '%YAML 1.1\n---\na: 2001-01-01\nb: 1:30',
    [{ a: '2001-01-01', b: '1:30' }],
  ],
  ['merge keys', 'a: &x {p: 1}\nb: {<<: *x, q: 2}', [{ a: { p: 1 }, b: { p: 1, q: 2 } }]],
  [
    'a broken document hides no other',
    'a: {b: [\n---\nc: 1\n---\nd: "x',
    [/^line 2, column 1: Flow sequence/, { c: 1 }, /^line 5, column 6: Missing closing/],
  ],
  ['a key that comes twice', 'a: 1\nb:\n  c: 1\n  "c": 2', ['line 4, column 3: the key "c" comes twice']],
  ['a key that comes twice in JSON', '{"a": 1, "a": 2}', ['line 1, column 10: the key "a" comes twice']],
  ['an unknown tag', 'a: !foo 1', [/^line 1, column 4: Unresolved tag/]],
  ['a binary', 'a: !!binary aGk=', [/^line 1, column 4: Unresolved tag/]],
  ['a map as a key', '? [a]\n: 1', [/With stringKeys/]],
  ['an alias to nothing', 'a: *b', [/Unresolved alias/]],
  ['an alias to what holds it', '&a {b: *a, c: *a}\n---\nd: 1', [/^line 1, column 1: an alias points to what holds it/, { d: 1 }]],
];

test('reads texts of documents', async (t) => {
  for (const [name, text, expected] of TABLE) {
    await t.test(name, () => {
      const found = read(text);
      assert.equal(found.length, expected.length);
      for (const [index, want] of expected.entries()) {
        if (want instanceof RegExp) assert.match(String(found[index]), want);
        else assert.deepEqual(found[index], want);
      }
    });
  }
});

test('an alias bomb is refused', () => {
  const nines = (name: string) => `[${Array.from({ length: 9 }, () => `*${name}`).join(', ')}]`;
  const bomb = `a: &a [1]\nb: &b ${nines('a')}\nc: &c ${nines('b')}\nd: &d ${nines('c')}\n---\ne: 1`;
  assert.match(String(read(bomb)[0]), /Excessive alias count/);
  assert.deepEqual(read(bomb)[1], { e: 1 });
});

test('nesting without end is refused before it ends the process', async (t) => {
  const levels = 20_000;
  for (const unit of ['[', '{a: ', '- ', '? ', '[a: ', '{', '? - ', '&a [', 'a:\n- ']) {
    const stairs = Array.from({ length: 200 }, (_, level) => ' '.repeat(level) + unit).join('\n');
    for (const deep of [unit.repeat(levels), stairs]) {
      await t.test(JSON.stringify(deep.slice(0, 20)), () => {
        const [before, reason, ...rest] = read(`a: 1\n---\n${deep}`);
        assert.deepEqual(before, { a: 1 });
        if (!unit.includes('\n'))
          assert.match(String(reason), /^line \d+, column \d+: (nests deeper than 64 levels|a node can|unexpected)/i);
        assert.deepEqual(rest, []);
      });
    }
  }
});

test('JSON comes through as it is', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const want = value === null ? [] : [JSON.parse(JSON.stringify(value)) as unknown];
      assert.deepEqual(read(JSON.stringify(value)), want);
    }),
  );
});

test('never throws', () => {
  const yamlish = fc.string({ unit: fc.constantFrom(...'ab:-[]{}&*!?%|>\'"#,\n \t0.<\u0000~@`'.split('')), maxLength: 60 });
  fc.assert(
    fc.property(fc.oneof(yamlish, fc.string({ unit: 'binary' })), (text) => void readDocuments(text)),
    { numRuns: 2000 },
  );
});
