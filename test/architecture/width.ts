import { type MarkdownPage, proseOf } from '../docs/markdown.ts';
import type { ArchitectureRule } from './source.ts';

const COLUMNS = 120;

/** Comments and pages are read beside code, on half of a screen: their lines end at column 120. */
export const narrowComments: ArchitectureRule = ({ path, text }) => {
  return text.split('\n').flatMap((line, index) => {
    const isComment = /^\s*(?:\/\/|\/?\*)/.test(line);
    return isComment && isTooWide(line) ? [`${path}:${index + 1}: ${line.length} columns, more than ${COLUMNS}: wrap the comment`] : [];
  });
};

/**
 * The same for the prose of a page: not for tables, blocks of code, and what a program makes (between `begin` and
 * `end`).
 */
export function narrowProse(page: MarkdownPage): string[] {
  let isMade = false;
  return proseOf(page)
    .split('\n')
    .flatMap((line, index) => {
      if (line.startsWith('<!--')) isMade = line.endsWith('begin -->');
      const isFree = isMade || /^\s*(?:\||#|<!--)/.test(line);
      if (isFree || !isTooWide(line.replace(/\]\([^)]*\)/g, ']'))) return [];
      return [`${page.path}:${index + 1}: ${line.length} columns, more than ${COLUMNS}: wrap the line`];
    });
}

/** A single word, as an address, can't be wrapped. */
function isTooWide(line: string): boolean {
  return line.length > COLUMNS && /\S\s/.test(line.replace(/^\s*(?:\/\/|\/?\*+|[-*+]|\d+\.)?\s*/, ''));
}
