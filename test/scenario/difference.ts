import { stringify } from 'yaml';

/**
 * How two sets of documents differ, as YAML with `-` before lines that are expected and missing, `+` before those that
 * nobody expects. '' when they are equal: the order of documents and of fields says nothing, that of lists does.
 */
export function difference(expected: readonly unknown[], actual: readonly unknown[]): string {
  const wanted = toTexts(expected);
  const found = toTexts(actual);
  const missing = without(wanted, found);
  const strange = without(found, wanted);
  if (missing.length + strange.length === 0) return '';
  return diffLines(missing.join('---\n').split('\n'), strange.join('---\n').split('\n')).join('\n');
}

function toTexts(documents: readonly unknown[]): string[] {
  return documents.map((document) => stringify(document, { sortMapEntries: true, lineWidth: 0, aliasDuplicateObjects: false })).sort();
}

/** A bag difference: a document that is there twice must be expected twice. */
function without(texts: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return texts.filter((text) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** The longest common lines stay; lengths[i][j] is their number from line i of `a` and line j of `b` on. */
function diffLines(a: readonly string[], b: readonly string[]): string[] {
  const lengths = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0));
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const row = lengths[i];
      if (row) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  return walk(a, b, at);
}

function walk(a: readonly string[], b: readonly string[], at: (i: number, j: number) => number): string[] {
  const lines: string[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(`  ${a[i++]}`);
      j++;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) lines.push(`- ${a[i++]}`);
    else lines.push(`+ ${b[j++]}`);
  }
  return lines;
}
