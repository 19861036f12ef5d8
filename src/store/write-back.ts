import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Connection } from './connection.ts';

/** SQLite's own: in the commit after so many pages, that thread writes them from the log back to the database. */
const PAGES = 1_000;

/** Bundles leave this module outside: a program finds it from where it is, and its thread is told where. */
const SQLITE = fileURLToPath(import.meta.resolve('better-sqlite3'));

const CHECKPOINT = `
  const { workerData } = require('node:worker_threads');
  const Database = require(workerData.module);
  const db = new Database(workerData.path, { fileMustExist: true });
  db.pragma('wal_checkpoint(PASSIVE)');
  db.close();`;

/** What a commit of many megabytes leaves to other threads, so that it keeps the event loop for a moment only. */
export interface WriteBack {
  /** Before its COMMIT: brings to the disk what is written of it. If it can't, the COMMIT tries, and says why. */
  flush(): Promise<void>;
  /** After a commit that was flushed: a thread of its own writes the log back. Until that has ended no commit does. */
  start(): void;
}

/** `main` and `beside` are the connections that commit. `module`: where better-sqlite3 is. */
export function createWriteBack(main: Connection, beside: Connection, module = SQLITE): WriteBack {
  const pages = (count: number): void => {
    for (const db of [main, beside]) if (db.open) db.pragma(`wal_autocheckpoint = ${count}`);
  };
  let running = false;
  /** Whether a commit was flushed that is not written back yet; `again`: it waits for the thread that runs. */
  let due = false;
  let again = false;
  function start(): void {
    if (!due || !main.open) return;
    again = running;
    if (running) return;
    due = false;
    running = true;
    const thread = new Worker(CHECKPOINT, { eval: true, workerData: { module, path: main.name } });
    thread.unref();
    // If it can't, the next commit does, as it always did.
    const ended = (): void => {
      running = false;
      if (again) start();
      else if (!due) pages(PAGES);
    };
    thread.once('error', ended);
    thread.once('exit', ended);
  }

  return {
    async flush() {
      due = true;
      // The thread may be at it still.
      pages(0);
      await toDisk(`${main.name}-wal`).catch(() => {});
    },
    start,
  };
}

/** SQLite has no locks on this file, so that closing it frees none. */
async function toDisk(log: string): Promise<void> {
  const file = await open(log, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}
