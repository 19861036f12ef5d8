import { useEffect, useState } from 'preact/hooks';
import { changes } from './live.ts';

/** What was loaded last, and why it could not be loaded again. */
export interface LoadedValue<T> {
  readonly value: T | undefined;
  readonly problem: string;
}

/**
 * Loads what a view shows, and again when something may be new. `about` says what is loaded: with another one the view
 * is empty until that is there. An answer that comes late is dropped.
 */
export function useLoaded<T>(about: string, load: () => Promise<T>): LoadedValue<T> {
  const [held, setHeld] = useState<LoadedValue<T> & { readonly about: string }>({ about, value: undefined, problem: '' });
  const change = changes.value;
  useEffect(() => {
    let dropped = false;
    load().then(
      (value) => !dropped && setHeld({ about, value, problem: '' }),
      (thrown: unknown) =>
        !dropped && setHeld((before) => ({ ...before, about, problem: reasonOf(thrown), value: valueOf(before, about) })),
    );
    return () => {
      dropped = true;
    };
    // `load` is made anew with each rendering: `about` says when it is another one.
  }, [about, change]);
  return { value: valueOf(held, about), problem: held.about === about ? held.problem : '' };
}

function valueOf<T>(held: LoadedValue<T> & { readonly about: string }, about: string): T | undefined {
  return held.about === about ? held.value : undefined;
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
