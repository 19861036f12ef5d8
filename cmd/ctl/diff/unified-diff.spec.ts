import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { unifiedDiff } from './unified-diff.ts';

/** What `patch` does: every context line and every line taken away must be where the diff says. */
function patched(before: string, diff: string): string {
  const lines = before === '' ? [] : before.replace(/\n$/, '').split('\n');
  const out: string[] = [];
  let taken = 0;
  for (const line of diff.split('\n').slice(0, -1)) {
    const [, start, count] = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@$/.exec(line) ?? [];
    if (start !== undefined) {
      const until = count === '0' ? Number(start) : Number(start) - 1;
      while (taken < until) out.push(lines[taken++] ?? '');
      continue;
    }
    if (line[0] !== '+') assert.equal(lines[taken++], line.slice(1));
    if (line[0] !== '-') out.push(line.slice(1));
  }
  out.push(...lines.slice(taken));
  return out.length === 0 ? '' : `${out.join('\n')}\n`;
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

describe('unifiedDiff', () => {
  const cases: [title: string, before: string, after: string, diff: string][] = [
    ['equal', 'a\n', 'a\n', ''],
    ['a line changed', 'a\nb\nc\n', 'a\nx\nc\n', '@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n'],
    ['all new', '', 'a\nb\n', '@@ -0,0 +1,2 @@\n+a\n+b\n'],
    ['all gone', 'a\n', '', '@@ -1 +0,0 @@\n-a\n'],
    [
      'two places',
      text('abcdefghijkl'.split('')),
      text('xbcdefghijky'.split('')),
      '@@ -1,4 +1,4 @@\n-a\n+x\n b\n c\n d\n@@ -9,4 +9,4 @@\n i\n j\n k\n-l\n+y\n',
    ],
    ['two near places', text('abcdefg'.split('')), text('xbcdefy'.split('')), '@@ -1,7 +1,7 @@\n-a\n+x\n b\n c\n d\n e\n f\n-g\n+y\n'],
  ];
  for (const [title, before, after, diff] of cases) it(title, () => assert.equal(unifiedDiff(before, after), diff));

  it('leads from one text to the other, and shows no more than must change', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', '- d', '+e', ' '), { maxLength: 30 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = unifiedDiff(text(before), text(after));
        assert.equal(patched(text(before), diff), text(after));
        const shown = diff.split('\n').filter((line) => /^[-+]/.test(line)).length;
        assert.equal(shown, before.length + after.length - 2 * common(before, after));
      }),
    );
  });

  it('keeps the equal ends of long texts out of what it replaces', () => {
    const [before, after] = ['a', 'b'].map((name) =>
      text(['x', '1', '2', '3', ...Array.from({ length: 800 }, (_, i) => `${name}${i}`), 'y']),
    );
    const diff = unifiedDiff(before ?? '', after ?? '');
    assert.match(diff, /^@@ -2,804 \+2,804 @@\n 1\n 2\n 3\n-a0\n/);
    assert.equal(patched(before ?? '', diff), after);
  });

  it('is done with long texts that have nothing in common', () => {
    const [before, after] = [
      text(Array.from({ length: 20_000 }, (_, i) => `a${i}`)),
      text(Array.from({ length: 20_000 }, (_, i) => `b${i}`)),
    ];
    assert.equal(patched(before, unifiedDiff(before, after)), after);
  });
});

/** The length of the longest common subsequence, by the table. */
function common(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const line of a) {
    const next = [0];
    for (const [index, other] of b.entries()) {
      next.push(line === other ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
