import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { it } from 'node:test';
import { anchorsOf, linksOf, type MarkdownPage, readPages, ROOT } from './markdown.ts';

const pages = readPages();
const anchors = new Map(pages.map((page) => [page.path, anchorsOf(page)]));

/** What is wrong with a link, '' for nothing. Addresses elsewhere are not asked. */
function brokenLink({ path }: MarkdownPage, target: string): string {
  if (/^[a-z]+:/.test(target)) return '';
  const [file = '', anchor] = target.split('#');
  const to = file === '' ? path : normalize(join(dirname(path), file));
  if (to.startsWith('..')) return 'leads out of the repository';
  if (!existsSync(join(ROOT, to))) return 'is not there';
  const known = anchors.get(to);
  return anchor === undefined || known?.includes(anchor) ? '' : `has no heading #${anchor}`;
}

it('every link leads somewhere', () => {
  const links = pages.flatMap((page) => linksOf(page).map((target) => ({ page, target })));
  assert.ok(links.length > 50, 'links are found');
  const broken = links.map(({ page, target }) => [page.path, target, brokenLink(page, target)]).filter(([, , why]) => why !== '');
  assert.deepEqual(broken, []);
});

it('a link that leads nowhere is found', () => {
  const page: MarkdownPage = { path: 'docs/README.md', text: '# The `list`, and more\n', fences: [] };
  assert.deepEqual(anchorsOf(page), ['the-list-and-more']);
  const cases: [target: string, why: string][] = [
    ['quick-start.md', ''],
    ['none.md', 'is not there'],
    ['quick-start.md#none', 'has no heading #none'],
    ['../../README.md', 'leads out of the repository'],
  ];
  for (const [target, why] of cases) assert.equal(brokenLink(page, target), why, target);
});

it('every page in docs/ can be reached from its index', () => {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    const page = pages.find((one) => one.path === path);
    if (!page || reached.has(path)) return;
    reached.add(path);
    for (const target of linksOf(page)) visit(normalize(join(dirname(path), target.split('#')[0] ?? '')));
  };
  visit('docs/README.md');
  const all = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/') && !path.startsWith('docs/decisions/'));
  assert.deepEqual(
    all.filter((path) => !reached.has(path)),
    [],
  );
});
