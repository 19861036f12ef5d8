/** How many lines stay around a change. */
const CONTEXT = 3;
/**
 * With more changed lines than this, the shortest difference is not searched for: everything between the equal
 * beginning and end is replaced.
 */
const MAX_CHANGES = 500;

interface Edit {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
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
  return before === after ? '' : hunksOf(edits(linesOf(before), linesOf(after))).join('');
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** The equal beginning and end are set aside: they are most of it. */
function edits(a: readonly string[], b: readonly string[]): Edit[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return [...same(a.slice(0, start)), ...(shortest(left, right) ?? replaced(left, right)), ...same(a.slice(a.length - end))];
}

function same(lines: readonly string[]): Edit[] {
  return lines.map((text) => ({ sign: ' ', text }));
}

function replaced(a: readonly string[], b: readonly string[]): Edit[] {
  return [...a.map((text): Edit => ({ sign: '-', text })), ...b.map((text): Edit => ({ sign: '+', text }))];
}

/** For each number of changes, how far into `a` each diagonal (x - y) comes. */
type Reach = ReadonlyMap<number, number>;

/**
 * Myers' greedy way: with one change more each round, every diagonal goes as far as equal lines let it, until one is at
 * both ends. undefined when that takes too many.
 */
function shortest(a: readonly string[], b: readonly string[]): Edit[] | undefined {
  const rounds: Reach[] = [];
  let reach: Reach = new Map([[1, 0]]);
  for (let changes = 0; changes <= MAX_CHANGES; changes++) {
    rounds.push(reach);
    const next = new Map(reach);
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = goesDown(reach, diagonal, changes) ? at(reach, diagonal + 1) : at(reach, diagonal - 1) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      next.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return backtrack(rounds, a, b);
    }
    reach = next;
  }
  return undefined;
}

function at(reach: Reach, diagonal: number): number {
  return reach.get(diagonal) ?? -1;
}

/** Whether a line of `b` comes in (else one of `a` goes). */
function goesDown(reach: Reach, diagonal: number, changes: number): boolean {
  return diagonal === -changes || (diagonal !== changes && at(reach, diagonal - 1) < at(reach, diagonal + 1));
}

function backtrack(rounds: readonly Reach[], a: readonly string[], b: readonly string[]): Edit[] {
  const reversed: Edit[] = [];
  let [x, y] = [a.length, b.length];
  for (const [changes, reach] of [...rounds.entries()].reverse()) {
    const down = goesDown(reach, x - y, changes);
    const from = at(reach, down ? x - y + 1 : x - y - 1);
    const until = down ? from : from + 1;
    for (; x > until && x > 0 && y > 0; y--) reversed.push({ sign: ' ', text: a[--x] ?? '' });
    if (changes === 0) break;
    if (down) reversed.push({ sign: '+', text: b[--y] ?? '' });
    else reversed.push({ sign: '-', text: a[--x] ?? '' });
  }
  return reversed.reverse();
}

/** Changes that are near one another stand in one hunk. */
function hunksOf(all: readonly Edit[]): string[] {
  const changed = all.flatMap(({ sign }, index) => (sign === ' ' ? [] : [index]));
  const ranges: [from: number, to: number][] = [];
  for (const index of changed) {
    const last = ranges.at(-1);
    if (last && index - CONTEXT <= last[1]) last[1] = index + CONTEXT + 1;
    else ranges.push([Math.max(0, index - CONTEXT), index + CONTEXT + 1]);
  }
  return ranges.map(([from, to]) => hunk(all, from, Math.min(to, all.length)));
}

function hunk(all: readonly Edit[], from: number, to: number): string {
  const part = all.slice(from, to);
  const range = (other: '-' | '+') => {
    const [before, count] = [all.slice(0, from), part].map((edit) => edit.filter(({ sign }) => sign !== other).length) as [number, number];
    return `${count === 0 ? before : before + 1}${count === 1 ? '' : `,${count}`}`;
  };
  return `@@ -${range('+')} +${range('-')} @@\n${part.map(({ sign, text }) => `${sign}${text}\n`).join('')}`;
}
