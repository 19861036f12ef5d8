import { posix } from 'node:path';
import { importsOf, type Source } from './source.ts';

/**
 * The circles of imports among files, each as `a.ts -> b.ts -> a.ts`. Imports of types count: who reads one file of a
 * circle has to read them all.
 */
export function importCycles(sources: readonly Source[]): string[] {
  const imports = new Map(sources.map((source) => [source.path, targets(source)]));
  const done = new Set<string>();
  const way: string[] = [];
  const found: string[] = [];
  const visit = (path: string): void => {
    const from = way.indexOf(path);
    if (from >= 0) found.push([...way.slice(from), path].join(' -> '));
    if (from >= 0 || done.has(path)) return;
    way.push(path);
    for (const target of imports.get(path) ?? []) visit(target);
    way.pop();
    done.add(path);
  };
  for (const path of imports.keys()) visit(path);
  return found;
}

function targets(source: Source): string[] {
  const folder = posix.dirname(source.path);
  return importsOf(source).flatMap(({ text }) => (text.startsWith('.') ? [posix.join(folder, text)] : []));
}
