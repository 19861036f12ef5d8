import { useEffect, useRef, useState } from 'preact/hooks';
import { changes } from './live.ts';

/** What was loaded last, and why it could not be loaded again. */
export interface LoadedValue<T> {
  readonly value: T | undefined;
  readonly problem: string;
}

/**
 * Loads what a view shows, and again when something may be new, though not before the last answer is there. `about`
 * says what is loaded: with another one the view is empty until that is there, and an answer about the former is
 * dropped.
 */
export function useLoaded<T>(about: string, load: () => Promise<T>): LoadedValue<T> {
  const [held, setHeld] = useState<LoadedValue<T> & { readonly about: string }>({ about, value: undefined, problem: '' });
  const running = useRef<RunningLoad | undefined>(undefined);
  const change = changes.value;
  useEffect(() => {
    if (running.current?.about === about) running.current.again = true;
    else begin();
    // `load` is made anew with each rendering: `about` says when it is another one.
  }, [about, change]);
  useEffect(() => () => void (running.current = undefined), []);
  const begin = (): void => {
    const own: RunningLoad = { about, again: false };
    running.current = own;
    const settle = (next: (before: typeof held) => typeof held): void => {
      if (running.current !== own) return;
      setHeld(next);
      running.current = undefined;
      if (own.again) begin();
    };
    load().then(
      (value) => settle(() => ({ about, value, problem: '' })),
      (thrown: unknown) => settle((before) => ({ about, problem: reasonOf(thrown), value: valueOf(before, about) })),
    );
  };
  return { value: valueOf(held, about), problem: held.about === about ? held.problem : '' };
}

interface RunningLoad {
  readonly about: string;
  /** Something may be new since it began. */
  again: boolean;
}

function valueOf<T>(held: LoadedValue<T> & { readonly about: string }, about: string): T | undefined {
  return held.about === about ? held.value : undefined;
}

/** For people. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
