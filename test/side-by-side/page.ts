import { readFileSync } from 'node:fs';
import { type KnownDifference, readKnown } from './differences.ts';

/** docs/kuma-differences.md, whose list is made of differences.json. */
export const PAGE = new URL('../../docs/kuma-differences.md', import.meta.url);

const [BEGIN, END] = ['<!-- list: begin -->', '<!-- list: end -->'];

/** The page with the list as it should be: what stands around it is kept. */
export function pageWithList(): string {
  const page = readFileSync(PAGE, 'utf8');
  const [before = '', , after = ''] = page.split(new RegExp(`${BEGIN}|${END}`));
  return `${before}${BEGIN}\n\n${listOf(readKnown())}\n${END}${after}`;
}

/** A heading for what each is about, and the reasons below it, each once. */
function listOf(known: readonly KnownDifference[]): string {
  const headings = [...new Set(known.map(({ about }) => about))];
  return headings
    .map((about) => {
      const reasons = new Set(known.filter((one) => one.about === about).map(({ reason }) => `- ${reason}\n`));
      return `### ${about}\n\n${[...reasons].join('')}`;
    })
    .join('\n');
}
