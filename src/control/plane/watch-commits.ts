import type { Key } from '../../resource/key.ts';
import type { Parts } from '../../resource/store/parts.ts';
import type { Store, Transaction } from '../../resource/store/store.ts';
import { Journal } from './commit-journal.ts';
import type { Plane } from './plane.ts';
import { WriteQueue } from './write-queue.ts';

/** A control plane, and who wants to know that it committed something. */
export interface WatchedPlane {
  readonly plane: Plane;
  /** Of this plane: for what need not be committed in this very turn. */
  readonly writes: WriteQueue;
  /** Called after commits, once for all of a turn; also after those that make no revision. */
  onCommit(listener: () => void): void;
}

/**
 * Watches the commits of a plane's store. `soon` runs a task after the present turn. The plane that comes out knows
 * what they touched.
 */
export function watchCommits(plane: Plane, soon: (task: () => void) => void): WatchedPlane {
  const listeners: (() => void)[] = [];
  const journal = new Journal();
  let due = false;
  const tell = (): void => {
    due = false;
    for (const listener of listeners) listener();
  };
  /** After a commit of what a body wrote. */
  const done = <T>({ result, revision, keys }: CommittedBody<T>): T => {
    journal.add(revision, keys);
    if (!due) soon(tell);
    due = true;
    return result;
  };
  const commit: Store['commit'] = (body, durability) => done(plane.store.commit(touching(body), durability));
  const commitEach: Store['commitEach'] = (bodies) => {
    const outcomes = plane.store.commitEach(bodies.map(touching));
    return outcomes.map((outcome) => ('thrown' in outcome ? outcome : { result: done(outcome.result) }));
  };
  const commitInParts: Store['commitInParts'] = function* (body) {
    return done(yield* plane.store.commitInParts(touchingInParts(body)));
  };
  const touched = (since: number) => journal.between(since, plane.store.head().revision);
  const watched: Plane = { ...plane, store: { ...plane.store, commit, commitEach, commitInParts }, touched };
  return {
    plane: watched,
    writes: new WriteQueue(watched.store, (task) => soon(() => plane.store.whenFree(task))),
    onCommit: (listener) => void listeners.push(listener),
  };
}

/** What a body resulted in, and what it touched. */
interface CommittedBody<T> {
  readonly result: T;
  readonly revision: number;
  readonly keys: readonly Key[];
}

function touching<T>(body: (tx: Transaction) => T): (tx: Transaction) => CommittedBody<T> {
  return (tx) => {
    const keys: Key[] = [];
    const result = body(Journal.watch(tx, keys));
    return { result, revision: tx.revision, keys };
  };
}

function touchingInParts<T>(body: (tx: Transaction) => Parts<T>): (tx: Transaction) => Parts<CommittedBody<T>> {
  return function* (tx) {
    const keys: Key[] = [];
    const result = yield* body(Journal.watch(tx, keys));
    return { result, revision: tx.revision, keys };
  };
}
