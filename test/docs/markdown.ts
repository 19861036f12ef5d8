import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A page of the repository. */
export interface MarkdownPage {
  /** From the root, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly fences: readonly Fence[];
}

/** A block of code. */
export interface Fence {
  /**
   * What stands behind the backticks: `sh`, `yaml`, `text`; '' where nothing does. `indented`: there are no backticks.
   */
  readonly language: string;
  readonly text: string;
  /** Of its first line, from 1. */
  readonly line: number;
  /** `<!-- not run -->` stands above it. */
  readonly isRun: boolean;
}

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SKIPPED = ['node_modules', 'dist', '.git', '.tools'];

/** All pages of the repository, what is installed or built left out. */
export function readPages(folder = ''): MarkdownPage[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED.includes(entry.name) || entry.name.startsWith('dist.') ? [] : readPages(path);
    return entry.name.endsWith('.md') ? [readPage(path)] : [];
  });
}

export function readPage(path: string): MarkdownPage {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return { path, text, fences: readFences(text) };
}

/** Blocks between backticks, and those that four spaces make behind an empty line: Markdown has both. */
function readFences(text: string): Fence[] {
  const lines = text.split('\n');
  const fences: Fence[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, language] = /^```(\S*)/.exec(lines[at] ?? '') ?? [];
    const indented = language === undefined && (lines[at - 1] ?? '') === '' && /^ {4}\S/.test(lines[at] ?? '');
    if (language === undefined && !indented) continue;
    const start = indented ? at : at + 1;
    const length = lines.slice(start).findIndex((line) => (indented ? !line.startsWith('    ') : line.startsWith('```')));
    const end = length < 0 ? lines.length : start + length;
    const inner = lines.slice(start, end).map((line) => (indented ? line.slice(4) : line));
    const isRun = !/^<!-- not run\b/.test(lines[at - 1] ?? '');
    fences.push({ language: language ?? 'indented', text: `${inner.join('\n')}\n`, line: start + 1, isRun });
    at = indented ? end - 1 : end;
  }
  return fences;
}

/** The page without its blocks: what is prose. Lines stay where they are. */
export function proseOf({ text }: MarkdownPage): string {
  let inside = false;
  return text
    .split('\n')
    .map((line) => {
      const fence = line.startsWith('```');
      if (fence) inside = !inside;
      return fence || inside || /^ {4}\S/.test(line) ? '' : line;
    })
    .join('\n');
}

/**
 * The anchors of a page's headings, as GitHub makes them: `## The list` is `the-list`, the second of that name
 * `the-list-1`.
 */
export function anchorsOf(page: MarkdownPage): string[] {
  const seen = new Map<string, number>();
  return [...proseOf(page).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/** Where a page's links lead, as they are written. */
export function linksOf(page: MarkdownPage): string[] {
  return [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}
