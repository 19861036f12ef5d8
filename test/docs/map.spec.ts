import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { PARTS, type Part, tableOf } from '../architecture/map.ts';
import { readPage, ROOT } from './markdown.ts';

const PAGE = 'docs/architecture.md';
const [BEGIN, END] = ['<!-- map: begin -->\n\n', '\n<!-- map: end -->'];

/** What is wrong with the map that a page has. */
function mapProblems(text: string, parts: readonly Part[]): string[] {
  const [, table] = text.split(BEGIN);
  const shown = table?.split(END)[0];
  const gone = parts.filter(({ path }) => !existsSync(join(ROOT, path))).map(({ path }) => `there is no ${path}: take it off PARTS`);
  return shown === tableOf(parts) ? gone : [...gone, `the map between the marks is another one; it should be\n${tableOf(parts)}`];
}

describe('the map of the folders', () => {
  it('is that of the rules, and each part is there', () => {
    assert.deepEqual(mapProblems(readPage(PAGE).text, PARTS), []);
  });

  it('can be wrong', () => {
    const shown = (parts: readonly Part[]) => `${BEGIN}${tableOf(parts)}${END}`;
    const none: Part = { path: 'src/none', what: 'Nothing', imports: 'nothing' };
    assert.deepEqual(mapProblems(shown(PARTS), PARTS), []);
    assert.equal(mapProblems(shown([...PARTS, none]), PARTS).length, 1, 'a row too many');
    assert.equal(mapProblems(shown(PARTS.slice(1)), PARTS).length, 1, 'a row too few');
    assert.equal(mapProblems('', PARTS).length, 1, 'no map');
    assert.equal(mapProblems(shown([...PARTS, none]), [...PARTS, none]).length, 1, 'a part that is not there');
  });
});
