// One preparation at a time. Two `npm test` in one folder would otherwise run two `npm ci` in one node_modules.
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Problem, say } from './command.mjs';

const POLL_MS = 100;
const GIVE_UP_MS = 20 * 60 * 1000;

/**
 * Does `work` while this process holds the lock file, and gives what `work` gives.
 * The file holds the owner's process id; the lock of a process that is gone is taken over.
 * Not reentrant. Throws Problem when another process holds it for 20 minutes.
 */
export function withLock(file, work) {
  mkdirSync(dirname(file), { recursive: true });
  acquire(file);
  try {
    return work();
  } finally {
    rmSync(file, { force: true });
  }
}

function acquire(file) {
  const start = performance.now();
  let told = false;
  while (!create(file) && !(takeOver(file) && create(file))) {
    const owner = ownerOf(file);
    if (!told) say(`waiting for process ${owner ?? '?'}, which is preparing this folder`);
    told = true;
    if (performance.now() - start > GIVE_UP_MS)
      throw new Problem(`Process ${owner} has held ${file} for 20 minutes. If it is not one of Meridian's, delete that file.`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
}

/** Creates the file with our process id in it, both at once; false if there is one. */
function create(file) {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

/**
 * Removes the lock of a dead process. Only one process may do so at a time: of two that saw the same dead owner, the
 * slower would remove the lock that the faster has just made. Hence the second file, and a second look while holding
 * it.
 */
function takeOver(file) {
  if (!isDead(ownerOf(file))) return false;
  const turn = `${file}.takeover`;
  if (isDead(ownerOf(turn))) rmSync(turn, { force: true });
  if (!create(turn)) return false;
  try {
    if (!isDead(ownerOf(file))) return false;
    rmSync(file, { force: true });
    return true;
  } finally {
    rmSync(turn, { force: true });
  }
}

/** The process id in the file; undefined when there is no file. */
function ownerOf(file) {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isDead(pid) {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}
