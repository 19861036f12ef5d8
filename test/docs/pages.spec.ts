import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, describe, it } from 'node:test';
import { Scope } from '../harness/scope.ts';
import { type MarkdownPage, readPage } from './markdown.ts';
import { envoyProgram } from '../harness/envoy.ts';
import { isAs, play, startShell } from './play.ts';

const QUICK_START = 'docs/quick-start.md';

/**
 * Pages that are played one after the other on the same control planes, and what they go on from: the quick start, up
 * to a heading. A page stands behind others that leave what it is about as it was. As a page of its own, the quick
 * start is what comes from that heading on.
 */
const TASKS: readonly [after: string | undefined, pages: readonly string[]][] = [
  ['## End it', ['docs/tasks/gitops.md', 'docs/tasks/access-by-attributes.md', QUICK_START]],
  [
    '## Connect an Envoy',
    ['docs/tasks/why-denied.md', 'docs/tasks/api.md', 'docs/tasks/author-a-policy.md', 'docs/tasks/backup-and-restore.md'],
  ],
  ['## Say who may call whom', ['docs/tasks/move-from-kuma.md']],
  [undefined, ['docs/tasks/add-a-zone.md']],
];

/**
 * What the real kumactl 2.14.3 exported of a real Kuma, in both formats, where the page says `kumactl export`. The
 * secrets in it are replaced.
 */
const EXPORTS = ['kuma.yaml', 'kuma-kubernetes.yaml'];

describe('the pages do what they say', { concurrency: 2 }, () => {
  const scope = new Scope();
  after(() => scope.close());
  for (const [start, pages] of TASKS) {
    it(pages.join(', '), async () => {
      const own = new Scope();
      try {
        const shell = await startShell(own, await natsServer(), await envoyProgram());
        for (const name of EXPORTS) copyFileSync(fileURLToPath(new URL(name, import.meta.url)), join(shell.folder, name));
        const [before, rest] = start === undefined ? [] : divided(readPage(QUICK_START), start);
        if (before) await play(before, shell);
        for (const path of pages) await play(path === QUICK_START && rest ? rest : readPage(path), shell);
      } finally {
        await own.close();
      }
    });
  }
});

/** What stands before a heading, and from there on. */
function divided(page: MarkdownPage, heading: string): [MarkdownPage, MarkdownPage] {
  const line = page.text.split('\n').indexOf(heading);
  assert.ok(line > 0, `${page.path} has no ${heading}`);
  const [before, rest] = [page.fences.filter((fence) => fence.line < line), page.fences.filter((fence) => fence.line > line)];
  return [
    { ...page, fences: before },
    { ...page, fences: rest },
  ];
}

async function natsServer(): Promise<string> {
  const script = new URL('../../scripts/nats-server.mjs', import.meta.url).href;
  const { natsServer: find } = (await import(script)) as { natsServer(): string };
  return find();
}

it('other digits and widths are the same output, other words are not', () => {
  assert.ok(isAs('east   yes   12s\n', 'east yes 3s\n'));
  assert.ok(isAs('a\nb\nc\n', 'a\n...\nc\n'));
  assert.ok(!isAs('east   no   12s\n', 'east yes 3s\n'));
  assert.ok(!isAs('a\nb\n', 'a\n'));
});
