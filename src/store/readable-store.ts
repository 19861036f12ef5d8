import { runtimeError } from './database.ts';

type StoreMethod = (...args: readonly unknown[]) => unknown;

/**
 * The same functions; what SQLite throws in them (a page that can't be read, a damaged one) is an `unavailable` of
 * ours: one failed request, which may be tried again. So it is in iterators that they give.
 */
export function readable<T extends object>(part: T, path: string): T {
  const made = Object.fromEntries(Object.entries(part).map(([name, value]: [string, unknown]) => [name, guarded(value, path)]));
  return made as T;
}

function guarded(value: unknown, path: string): unknown {
  if (typeof value === 'function') return (...args: readonly unknown[]) => attempt(() => (value as StoreMethod)(...args), path);
  return typeof value === 'object' && value !== null ? readable(value, path) : value;
}

function attempt(read: () => unknown, path: string): unknown {
  try {
    const result = read();
    return isIterator(result) ? each(result, path) : result;
  } catch (thrown) {
    throw runtimeError(thrown, path);
  }
}

function* each(rows: Iterable<unknown>, path: string): Generator<unknown> {
  try {
    yield* rows;
  } catch (thrown) {
    throw runtimeError(thrown, path);
  }
}

function isIterator(value: unknown): value is IterableIterator<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value && 'next' in value;
}
