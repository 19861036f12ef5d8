// Runs spec files, each in a process of its own, in the order in which they are named: node scripts/specs.mjs FILE...
// `node --test` would begin them in the order of their names.
import { resolve } from 'node:path';
import { run } from 'node:test';
import report from './test-reporter.mjs';

const FILE_TIMEOUT_MS = 300_000;
/** Two more than the cores that are promised: many wait for what they started. */
const AT_ONCE = 4;

const files = process.argv.slice(2).map((file) => resolve(file));
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopped.abort());
const events = run({ files, concurrency: AT_ONCE, timeout: FILE_TIMEOUT_MS, signal: stopped.signal });
events.on('test:fail', () => {
  process.exitCode = 1;
});
for await (const text of report(events)) process.stdout.write(text);
