import { type Document, isAlias, isCollection, isPair } from 'yaml';

/** How large a document is with its aliases. */
export interface DocumentSize {
  /** Keys, values, maps and lists; each alias as all that it stands for, however often. */
  readonly parts: number;
  readonly aliases: number;
}

/**
 * Counts what a document would hold if each alias were written out, without writing it out: a list of nine aliases to
 * nine aliases to … is small in memory until somebody looks at all of it. It recurses, so the text must not nest
 * without end.
 *
 *   a: &a [1, 2], b: [*a, *a]  ->  parts 12, aliases 2
 */
export function writtenOut({ contents }: Pick<Document, 'contents'>): DocumentSize {
  const sizes = new Map<string, number>();
  let aliases = 0;
  const sizeOf = (node: unknown): number => {
    if (isAlias(node)) {
      aliases += 1;
      return sizes.get(node.source) ?? 1;
    }
    if (isPair(node)) return sizeOf(node.key) + sizeOf(node.value);
    const parts = isCollection(node) ? node.items.reduce((sum: number, item) => sum + sizeOf(item), 1) : 1;
    const anchor = anchorOf(node);
    if (anchor !== undefined) sizes.set(anchor, parts);
    return parts;
  };
  return { parts: sizeOf(contents), aliases };
}

function anchorOf(node: unknown): string | undefined {
  return typeof node === 'object' && node !== null && 'anchor' in node && typeof node.anchor === 'string' ? node.anchor : undefined;
}
