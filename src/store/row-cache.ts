/**
 * Rows that are read all the time, kept in memory as they are in the database. The folder is locked: nobody else writes
 * it.
 */
export interface RowCache<T> {
  get(key: string): T | undefined;
  /** After a row was written; undefined: it was removed. */
  put(key: string, value: T | undefined): void;
  /** After a rollback: values that were read in the commit may never have existed. */
  forgetAll(): void;
}

/** As many as a global with a thousand zones asks for at each message. */
const MOST = 20_000;

/** The result of `read`, cached by key; undefined is cached too. A value that is not `isSmall` is read each time. */
export function cacheRows<T>(read: (key: string) => T | undefined, isSmall: (value: T) => boolean = () => true): RowCache<T> {
  const known = new Map<string, T | undefined>();
  function put(key: string, value: T | undefined): void {
    known.delete(key);
    if (known.size >= MOST) known.clear();
    if (value === undefined || isSmall(value)) known.set(key, value);
  }
  return {
    get(key) {
      if (known.has(key)) return known.get(key);
      const value = read(key);
      put(key, value);
      return value;
    },
    put,
    forgetAll: () => known.clear(),
  };
}
