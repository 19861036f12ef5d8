/**
 * The word of `words` that `text` was probably meant to be: the same but for capitals, or within two typing mistakes.
 * `MeshTimeuot` -> `MeshTimeout`; undefined when nothing is near.
 */
export function nearest(text: string, words: readonly string[]): string | undefined {
  if (text.length > 64) return undefined;
  const typed = text.toLowerCase();
  const ranked = words.map((word) => ({ word, distance: distance(typed, word.toLowerCase()) }));
  const [best] = ranked.sort((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= 2 ? best.word : undefined;
}

/**
 * Levenshtein's distance, one row at a time: row[j] is the distance between what was read of `a` and the first j of
 * `b`.
 */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
