import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { narrowProse } from '../architecture/width.ts';
import { readPages } from './markdown.ts';

/** The lists of changes, and what a program writes, are as wide as they are. */
const pages = readPages().filter(({ path }) => path !== 'CHANGELOG.md' && !path.startsWith('docs/reference/'));

describe('pages can be read on half of a screen', () => {
  const problems = (text: string) => narrowProse({ path: 'x.md', text, fences: [] });
  const wide = 'a word '.repeat(18);

  it('holds', () => {
    assert.ok(pages.length > 30, `${pages.length} pages are found`);
    assert.deepEqual(pages.flatMap(narrowProse), []);
  });

  it('can fail', () => {
    const refused = [wide, `- ${wide}`, `  ${wide}`, `<!-- list: end -->\n${wide}`, `x\`y\` ${wide}`];
    for (const text of refused) assert.equal(problems(text).length, 1, text);
    const passed = [
      'a word',
      `| ${wide} |`,
      `## ${wide}`,
      `\`\`\`\n${wide}\n\`\`\``,
      `<!-- list: begin -->\n${wide}`,
      `- [a word](${'x'.repeat(130)})`,
      `https://${'x'.repeat(130)}`,
    ];
    for (const text of passed) assert.deepEqual(problems(text), [], text);
  });
});
