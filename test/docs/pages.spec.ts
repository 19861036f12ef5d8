import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, describe, it } from 'node:test';
import { Scope } from '../harness/scope.ts';
import { type MarkdownPage, readPage } from './markdown.ts';
import { envoyProgram } from '../harness/envoy.ts';
import { isAs, play, startShell } from './play.ts';

/** What each page goes on from: the quick start, up to a heading. */
const TASKS: readonly [page: string, after: string | undefined][] = [
  ['docs/quick-start.md', undefined],
  ['docs/tasks/author-a-policy.md', '## Connect an Envoy'],
  ['docs/tasks/why-denied.md', '## Connect an Envoy'],
  ['docs/tasks/access-by-attributes.md', '## Connect an Envoy'],
  ['docs/tasks/gitops.md', '## Connect an Envoy'],
  ['docs/tasks/backup-and-restore.md', '## Connect an Envoy'],
  ['docs/tasks/add-a-zone.md', undefined],
  ['docs/tasks/move-from-kuma.md', '## Say who may call whom'],
];

/**
 * What the real kumactl 2.14.3 exported of a real Kuma, in both formats, where the page says `kumactl export`. The
 * secrets in it are replaced.
 */
const EXPORTS = ['kuma.yaml', 'kuma-kubernetes.yaml'];

describe('the pages do what they say', { concurrency: 2 }, () => {
  const scope = new Scope();
  after(() => scope.close());
  for (const [path, start] of TASKS) {
    it(path, async () => {
      const own = new Scope();
      try {
        const shell = await startShell(own, await natsServer(), await envoyProgram());
        for (const name of EXPORTS) copyFileSync(fileURLToPath(new URL(name, import.meta.url)), join(shell.folder, name));
        if (start !== undefined) await play(until(readPage('docs/quick-start.md'), start), shell);
        await play(readPage(path), shell);
      } finally {
        await own.close();
      }
    });
  }
});

function until(page: MarkdownPage, heading: string): MarkdownPage {
  const line = page.text.split('\n').indexOf(heading);
  assert.ok(line > 0, `${page.path} has no ${heading}`);
  return { ...page, fences: page.fences.filter((fence) => fence.line < line) };
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
