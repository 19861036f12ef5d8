import { MeridianError } from '../errors.ts';
import type { Connection } from './connection.ts';
import { readable } from './readable-store.ts';
import { createWriteBack, type WriteBack } from './write-back.ts';
import { atOnce, type Parts } from '../resource/store/parts.ts';
import type { Reader, Store, Transaction } from '../resource/store/store.ts';
import type { Commits } from './store-commits.ts';

/** A connection to the database, as far as it writes. */
export interface Writer {
  readonly db: Connection;
  readonly transaction: Transaction;
  readonly reader: Reader;
  readonly inParts: Commits['inParts'];
  readonly tried: Commits['tried'];
  readonly toDisk: Commits['toDisk'];
  /** Remembers of the database what `other` does: the last commit was that one's. */
  takeOver(other: Writer): void;
  /** Keeps in mind how the feeds are now: to work it out later would undo all that the next commit changes. */
  keepPast(): void;
  close(): void;
}

type SecondWriter = Writer & { readonly writeBack: WriteBack };

export interface PartCommits extends Pick<Store, 'commitInParts' | 'tryInParts' | 'isFree' | 'whenFree'> {
  /** `work`, while the store is free. Throws `unavailable`: it is not. */
  alone<T>(work: () => T): T;
  close(): void;
}

/**
 * Commits in parts, on a connection of their own: whoever reads on the other one reads what was committed before
 * (SQLite's WAL). Both remember things of the database, each what it read or wrote itself, and so one hands that to the
 * other.
 *
 *   main      reads 7 ........................ reads 7 | reads 8
 *   beside    takes over, BEGIN, a part, a part, COMMIT 8 | main takes over
 *
 * `open` opens the second connection; it stays open.
 */
export function createPartCommits(main: Writer, open: () => Writer): PartCommits {
  const waiting: (() => void)[] = [];
  let beside: SecondWriter | undefined;
  let free = true;
  /** What is under way; a closed store has nothing of it. */
  let present: Parts<unknown> | undefined;
  const refuseBusy = (): void => {
    if (!free) throw new MeridianError('unavailable', 'the store is busy with a large write', { hint: 'Try again in some seconds.' });
  };

  /**
   * The first of those that wait. The next one follows in a turn of its own, if the store is still free: a work that
   * waits by a promise begins in between, and nobody who came later is before it.
   */
  function goOn(): void {
    const task = free ? waiting.shift() : undefined;
    task?.();
    if (task && waiting.length > 0) setImmediate(goOn);
  }

  /** What is done on the second connection, while nobody else commits. */
  function* alongside<T>(work: (beside: SecondWriter) => Parts<T>): Parts<T> {
    refuseBusy();
    // Nobody has to wait for that meanwhile.
    main.toDisk();
    free = false;
    try {
      beside ??= withWriteBack(open());
      beside.takeOver(main);
      return yield* whileOpen(work(beside));
    } finally {
      // The pages that it read and wrote: SQLite keeps up to 8 MB of them.
      if (beside?.db.open) beside.db.pragma('shrink_memory');
      free = true;
      present = undefined;
      setImmediate(goOn);
    }
  }

  function commitInParts<T>(body: (tx: Transaction) => Parts<T>): Parts<T> {
    return alongside(function* (writer) {
      main.keepPast();
      try {
        const result = yield* writer.inParts(() => body(writer.transaction), writer.writeBack.flush);
        main.takeOver(writer);
        return result;
      } finally {
        writer.writeBack.start();
      }
    });
  }

  function tryInParts<T>(body: (tx: Transaction, before: Reader) => Parts<T>): Parts<T> {
    return alongside(({ tried, transaction }) => tried(() => body(transaction, readable(main.reader, main.db.name))));
  }

  function withWriteBack(writer: Writer): SecondWriter {
    return { ...writer, writeBack: createWriteBack(main.db, writer.db) };
  }

  function* whileOpen<T>(parts: Parts<T>): Parts<T> {
    present = parts;
    try {
      for (;;) {
        const step = parts.next();
        if (step.done) return step.value;
        yield step.value;
        if (present !== parts) throw new MeridianError('unavailable', 'the store was closed');
      }
    } finally {
      parts.return(undefined as T);
    }
  }

  return {
    commitInParts,
    tryInParts,
    isFree: () => free,
    whenFree(task) {
      waiting.push(task);
      if (waiting.length === 1) goOn();
    },
    alone(work) {
      refuseBusy();
      return work();
    },
    close() {
      present?.return(undefined);
      present = undefined;
      beside?.close();
    },
  };
}

/** The same for a store with one connection: all parts at once. */
export function commitAtOnce(commit: Store['commit']): Pick<Store, 'commitInParts' | 'isFree' | 'whenFree'> {
  // oxlint-disable-next-line eslint/require-yield -- there is only one part
  function* commitInParts<T>(body: (tx: Transaction) => Parts<T>): Parts<T> {
    return commit((tx) => atOnce(body(tx)));
  }
  return { commitInParts, isFree: () => true, whenFree: (task) => task() };
}

/** The same, tried on a copy. */
export function tryAtOnce(reader: Reader, copy: () => Writer): Store['tryInParts'] {
  // oxlint-disable-next-line eslint/require-yield -- there is only one part
  return function* <T>(body: (tx: Transaction, before: Reader) => Parts<T>): Parts<T> {
    const { tried, transaction, close } = copy();
    try {
      return atOnce(tried(() => body(transaction, reader)));
    } finally {
      close();
    }
  };
}
