import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDocuments } from './read-documents.ts';

/** What the text `a: SCALAR` has as `a`, or why it is refused. */
function read(text: string): unknown {
  const [document] = readDocuments(text);
  assert.ok(document);
  return 'problem' in document ? document.problem.reason : (document.value as { a: unknown }).a;
}

/**
 * Each was put into a port, an `enabled` or a tag of a document for the real kumactl 2.14.3: it takes them for what
 * stands behind them.
 */
const REFUSED: readonly [scalars: string, reason: RegExp][] = [
  ['010001 0777 00 08 09 -010 +010 0_7 0_8', /without a leading zero/],
  ['0o17 0O17 -0o17 0o_7 0b101 0B1 -0b1 0X1F -0x10 +0x10 0xA_B', /without a leading zero/],
  ['1_000 1__0 1_ 1_0.5 0.1_0 1e_3 -1_0 +1_0 1_2_3', /without "_"/],
  ['y Y yes Yes YES n N no No NO on On ON off Off OFF', /true or false/],
];

const READ: readonly [scalar: string, value: unknown][] = [
  ['0', 0],
  ['10', 10],
  ['-5', -5],
  ['+5', 5],
  ['0x1F', 31],
  ['1e3', 1000],
  ['1.', 1],
  ['.5', 0.5],
  ['0.10', 0.1],
  ['010.5', 10.5],
  ['0o8', '0o8'],
  ['0b12', '0b12'],
  ['0x', '0x'],
  ['_1', '_1'],
  ['1_a', '1_a'],
  ['web_ns_svc_80', 'web_ns_svc_80'],
  ['1:30', '1:30'],
  ['190:20:30', '190:20:30'],
  ['2001-01-01', '2001-01-01'],
  ['10.0.0.1', '10.0.0.1'],
  ['::1', '::1'],
  ['-', null],
  ['0-1', '0-1'],
  ['00:1b:44', '00:1b:44'],
  ['01.02.03', '01.02.03'],
  ['true', true],
  ['FALSE', false],
  ['yEs', 'yEs'],
  ['yes sir', 'yes sir'],
  ['online', 'online'],
];

describe('a plain scalar', () => {
  for (const [scalars, reason] of REFUSED) {
    for (const scalar of scalars.split(' ')) {
      it(`is refused by name: ${scalar}`, () => {
        for (const text of [
          `a: ${scalar}`,
          `a: [1, ${scalar}]`,
          `a: {b: ${scalar}}`,
          `a: {${scalar}: b}`,
          `- b\n- ${scalar}`,
          `a: &x ${scalar}`,
        ]) {
          const found = String(read(text));
          assert.match(found, reason, text);
          assert.match(found, /^line \d+, column \d+: /);
          assert.ok(found.includes(`: ${scalar} is `), found);
        }
        for (const quoted of [`"${scalar}"`, `'${scalar}'`, `!!str ${scalar}`, `|-\n  ${scalar}`])
          assert.equal(read(`a: ${quoted}`), scalar);
      });
    }
  }

  for (const [scalar, value] of READ) it(`is read: ${scalar}`, () => assert.deepEqual(read(scalar === '-' ? 'a:' : `a: ${scalar}`), value));

  it('is refused alone: the other documents are read', () => {
    const [first, second] = readDocuments('b: 1\na: 010\n---\na: 10\n');
    assert.deepEqual([first, second], [{ problem: { field: 'document', reason: read('b: 1\na: 010') } }, { value: { a: 10 } }]);
  });
});
