import { structuredPatch } from 'diff';

/** How many lines stay around a change. */
const CONTEXT = 3;
/**
 * With more changed lines than this, the shortest difference is not searched for: everything between the equal
 * beginning and end is replaced.
 */
const MAX_CHANGES = 500;

interface Hunk {
  /** From 1. */
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly string[];
}

/**
 * The changes from one text to another, as `diff -u` writes them, without the two lines of file names; '' for equal
 * texts. Every line ends in a newline, as those of YAML do.
 *
 *   a, b, c  ->  a, x, c    @@ -1,3 +1,3 @@
 *                            a
 *                           -b
 *                           +x
 *                            c
 */
export function unifiedDiff(before: string, after: string): string {
  const [a, b] = [ended(before), ended(after)];
  if (a === b) return '';
  const patch = structuredPatch('', '', a, b, undefined, undefined, { context: CONTEXT, maxEditLength: MAX_CHANGES });
  return (patch?.hunks ?? [replaced(linesOf(a), linesOf(b))]).map(formatHunk).join('');
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function linesOf(text: string): string[] {
  return text.split('\n').slice(0, -1);
}

/** One hunk, of all that is between the equal beginning and end. */
function replaced(a: readonly string[], b: readonly string[]): Hunk {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const from = Math.max(0, start - CONTEXT);
  const signed = (sign: string, lines: readonly string[]) => lines.map((line) => sign + line);
  const lines = [
    ...signed(' ', a.slice(from, start)),
    ...signed('-', a.slice(start, a.length - end)),
    ...signed('+', b.slice(start, b.length - end)),
    ...signed(' ', a.slice(a.length - end).slice(0, CONTEXT)),
  ];
  return { oldStart: from + 1, newStart: from + 1, lines };
}

/** A side without lines is said to begin at the line before, and of a single line no number is told. */
function formatHunk({ oldStart, newStart, lines }: Hunk): string {
  const range = (start: number, other: '-' | '+') => {
    const count = lines.filter((line) => !line.startsWith(other)).length;
    return `${count === 0 ? start - 1 : start}${count === 1 ? '' : `,${count}`}`;
  };
  return `@@ -${range(oldStart, '+')} +${range(newStart, '-')} @@\n${lines.map((line) => `${line}\n`).join('')}`;
}
