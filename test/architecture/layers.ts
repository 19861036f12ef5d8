import { posix } from 'node:path';
import { nameOf, partOf } from './map.ts';
import { at, importsOf, isExempt, type ArchitectureRule } from './source.ts';

/** Imports between the parts go one way. */
export const importsGoOneWay: ArchitectureRule = (source) => {
  if (isExempt(source)) return [];
  const part = partOf(source.path);
  if (!part) return [`${source.path}:1: it is in no part of the architecture: give it one in test/architecture/map.ts`];
  if (part.imports === 'everything') return [];
  const allowed = part.imports === 'nothing' ? [] : part.imports;
  return importsOf(source)
    .filter(({ text }) => text.startsWith('.'))
    .flatMap((module) => {
      const path = posix.join(posix.dirname(source.path), module.text);
      const isAllowed = partOf(path) === part || allowed.some((other) => path === other || path.startsWith(`${other}/`));
      const may = allowed.map((other) => nameOf({ path: other })).join(', ') || 'nothing of ours';
      return isAllowed ? [] : [at(source, module, `${nameOf(part)} must not import ${module.text}; it may import ${may}`)];
    });
};

/** Where tests and benches open the store in SQLite. */
const STORES_OF_TESTS = 'test/harness/test-store.ts';

/** Outside of the store itself and the programs, only the harness of the tests imports it: so it can be exchanged. */
export const storeThroughHarness: ArchitectureRule = (source) => {
  const { path } = source;
  if (path === STORES_OF_TESTS || path.startsWith('src/store/') || (path.startsWith('cmd/') && !isExempt(source))) return [];
  return importsOf(source)
    .filter(({ text }) => text.startsWith('.') && posix.join(posix.dirname(path), text).startsWith('src/store/'))
    .map((module) => at(source, module, `${module.text}: a store is opened through ${STORES_OF_TESTS}`));
};
