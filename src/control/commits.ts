import type { Plane } from './plane.js';

/** A control plane, and who wants to know that it committed something. */
export interface Watched {
  readonly plane: Plane;
  /** Called after commits, once for all of a turn; also after those that make no revision. */
  onCommit(listener: () => void): void;
}

/** Watches the commits of a plane's store. `soon` runs a task after the present turn. */
export function watchCommits(plane: Plane, soon: (task: () => void) => void): Watched {
  const listeners: (() => void)[] = [];
  let due = false;
  const tell = (): void => {
    due = false;
    for (const listener of listeners) listener();
  };
  const commit: Plane['store']['commit'] = (body) => {
    const result = plane.store.commit(body);
    if (!due) soon(tell);
    due = true;
    return result;
  };
  return { plane: { ...plane, store: { ...plane.store, commit } }, onCommit: (listener) => void listeners.push(listener) };
}
