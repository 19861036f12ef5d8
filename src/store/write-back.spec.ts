import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { until } from '../../test/harness/until.ts';
import { freshPath } from '../../test/harness/test-store.ts';
import { createPrivate, openBeside, openDatabase } from './database.ts';
import { createWriteBack } from './write-back.ts';

const BYTES = 8_000_000;

/** Two connections, and megabytes in the log. */
async function withLog(path: string, module?: string) {
  createPrivate(path);
  const main = openDatabase(path);
  const beside = openBeside(main);
  const writeBack = createWriteBack(main, beside, module);
  beside.exec('BEGIN IMMEDIATE');
  beside.prepare('INSERT INTO settings VALUES (?, ?)').run('large', 'x'.repeat(BYTES));
  await writeBack.flush();
  beside.exec('COMMIT');
  return { main, beside, writeBack, pages: () => main.pragma('wal_autocheckpoint', { simple: true }) };
}

test('a large commit leaves its log, and a thread writes it back', async (t) => {
  const path = freshPath(t);
  const { main, beside, writeBack, pages } = await withLog(path);
  assert.ok(statSync(path).size < BYTES);
  assert.equal(pages(), 0);
  writeBack.start();
  await until('it is written back', () => statSync(path).size > BYTES && pages() === 1_000);
  beside.close();
  main.close();
});

test('where the thread can not work, commits write back as they always do', async (t) => {
  const path = freshPath(t);
  const { main, beside, writeBack, pages } = await withLog(path, '/nowhere');
  writeBack.start();
  await until('it has ended', () => pages() === 1_000);
  main.exec("UPDATE settings SET value = 'y' WHERE name = 'large'");
  assert.ok(statSync(path).size > BYTES);
  beside.close();
  main.close();
});
