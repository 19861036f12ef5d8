import type { Key } from '../../resource/key.ts';
import { Journal } from './commit-journal.ts';
import type { Plane } from './plane.ts';

/** A control plane, and who wants to know that it committed something. */
export interface Watched {
  readonly plane: Plane;
  /** Called after commits, once for all of a turn; also after those that make no revision. */
  onCommit(listener: () => void): void;
}

/**
 * Watches the commits of a plane's store. `soon` runs a task after the present turn. The plane that comes out knows
 * what they touched.
 */
export function watchCommits(plane: Plane, soon: (task: () => void) => void): Watched {
  const listeners: (() => void)[] = [];
  const journal = new Journal();
  let due = false;
  const tell = (): void => {
    due = false;
    for (const listener of listeners) listener();
  };
  const commit: Plane['store']['commit'] = (body) => {
    const keys: Key[] = [];
    const result = plane.store.commit((tx) => body(Journal.watch(tx, keys)));
    journal.add(plane.store.head().revision, keys);
    if (!due) soon(tell);
    due = true;
    return result;
  };
  const touched = (since: number) => journal.between(since, plane.store.head().revision);
  return { plane: { ...plane, store: { ...plane.store, commit }, touched }, onCommit: (listener) => void listeners.push(listener) };
}
