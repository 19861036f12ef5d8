import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anchorsOf, readPage, ROOT } from './markdown.ts';

/** A file in which pages and other files are cited: code, YAML or a page. `path` is from the root, with slashes. */
export interface CitingText {
  readonly path: string;
  readonly text: string;
}

const FOLDERS = ['src', 'cmd', 'test', 'bench', 'demo', 'scripts', 'compose', 'docs', '.ci'];
/** What others made: generated code, and data that was taken from real systems. */
const OTHERS = ['src/xds/wire/gen', 'test/reference'];

/** Every file that people write and read: code, scenarios, pages. */
export function readTexts(): CitingText[] {
  const files = [...FOLDERS.flatMap(filesIn), 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
  return files.filter((path) => /\.(ts|mjs|yaml|md)$/.test(path)).map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return OTHERS.includes(path) ? [] : filesIn(path);
  });
}

/** Citations of pages from the root (`docs/design/matching.md#order`) that lead nowhere, as `path:line: what`. */
export function brokenCitations(text: CitingText): string[] {
  return found(text, /\bdocs\/[\w./-]+\.md(?:#[\w-]*)?/g, (citation) => {
    const [page = '', anchor] = citation.split('#');
    if (!existsSync(join(ROOT, page))) return `there is no ${page}`;
    return anchor === undefined || headings(page).includes(anchor) ? '' : `${page} has no heading #${anchor}`;
  });
}

/** The anchors of each page that was cited: some are cited a hundred times. */
const known = new Map<string, readonly string[]>();

function headings(page: string): readonly string[] {
  const anchors = known.get(page) ?? anchorsOf(readPage(page));
  known.set(page, anchors);
  return anchors;
}

/**
 * A page that is cited with a heading, but not from the root: nobody can tell where it is. Pages link to one another
 * otherwise.
 */
export function shortCitations(text: CitingText): string[] {
  return found({ ...text, text: text.path.endsWith('.md') ? '' : commentsOf(text) }, /[\w./-]+\.md#/g, (citation) =>
    citation.startsWith('docs/') ? '' : `write ${citation} from the root: docs/...`,
  );
}

/** Files of the repository that a comment or a page names and that are not there. `a.ts` is any file: an example. */
export function missingFiles(text: CitingText): string[] {
  const path = /(?<![\w./*{<-])(?:src|cmd|test|bench|demo|scripts|compose|reference|seeds)\/[\w./-]+\.(?:ts|mjs|json|tsv|yaml|md)\b/g;
  return found({ ...text, text: commentsOf(text) }, path, (file) =>
    file.endsWith('/a.ts') || existsSync(join(ROOT, file)) ? '' : `there is no ${file}`,
  );
}

/** The lines that are comments, the others empty. All of a page counts, but where its links lead. */
function commentsOf({ path, text }: CitingText): string {
  if (path.endsWith('.md')) return text.replace(/\]\([^)\n]*\)/g, ']');
  const comment = path.endsWith('.yaml') ? /^\s*(?:#|shows:)/ : /^\s*(?:\/\/|\/?\*)/;
  return text
    .split('\n')
    .map((line) => (comment.test(line) ? line : ''))
    .join('\n');
}

// The words are put together here, so that this file does not hold them itself. A space may be a line's end within a
// comment.
const [DRAFT, SOURCE, PART] = [['de', 'sign'].join(''), ['se', 'ed'].join(''), ['sec', 'tions?'].join('')];
const OUTSIDE = [
  `\\b${DRAFT}(?:\\.md)?[,:]? (?:${PART}|document)\\b`,
  `\\(${DRAFT}[,:]`,
  `(?:namespace|MTP|SPIFFE|matching|permission|attributes?|ClusterLink|Kuma) ${SOURCE}s?\\b`,
  `\\b${SOURCE}['’]s\\b`,
  `\\(${SOURCE}:? ["A-Z]`,
  `\\b${SOURCE}:? "`,
  `\\b[Tt]he ${SOURCE}s? (?:says?|calls?|writes?|prints?|lets?|about|and the)\\b`,
  `\\b${PART} \\d`,
].map((pattern) => new RegExp(pattern.replaceAll(' ', '[\\s*/#]+'), 'g'));

/** A public standard may be cited by its number: readers find it. */
const STANDARD = /\bRFC \d+|\bOpenAPI\b/;

/** Citations of documents that are not in this repository. `docs/design/sources.md` says what was taken from which. */
export function outsideCitations({ path, text }: CitingText): string[] {
  return OUTSIDE.flatMap((pattern) => [...text.matchAll(pattern)]).flatMap(({ 0: words, index }) => {
    const before = text.slice(0, index).split('\n');
    const line = `${before.at(-1) ?? ''}${text.slice(index).split('\n', 1)[0] ?? ''}`;
    if (STANDARD.test(line)) return [];
    return [`${path}:${before.length}: "${words}" is not in this repository: cite a page of docs/design`];
  });
}

function found({ path, text }: CitingText, pattern: RegExp, wrong: (match: string) => string): string[] {
  return text.split('\n').flatMap((line, index) =>
    [...line.matchAll(pattern)].flatMap(([match]) => {
      const why = wrong(match);
      return why === '' ? [] : [`${path}:${index + 1}: ${why}`];
    }),
  );
}
