import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { OTHERS } from '../../resource/audience.ts';
import { key, resource } from '../../../test/harness/sample-store.ts';
import { OPTIONS } from '../../../test/harness/test-store.ts';
import { migrate } from '../migrations.ts';
import { createStore } from '../open-store.ts';
import { createSettings } from '../store-settings.ts';
import { createLog } from './change-log.ts';
import { createChanges } from './feed-changes.ts';

test('a delta reads of the log what came since, not what was before', () => {
  const db = new Database(':memory:');
  migrate(db);
  const store = createStore(db, OPTIONS, () => {});
  const put = (name: string, wire: string) => store.commit((tx) => tx.put(resource(key(name)), OTHERS, wire));
  for (let index = 0; index < 2_000; index++) put(`p-${index}`, 'first');
  const { revision } = store.head();
  put('p-7', 'second');
  const log = createLog(db, createSettings(db));
  let read = 0;
  db.function('seen', () => {
    read += 1;
    return 1;
  });
  // Each row of the log that SQLite looks at is counted.
  db.exec('CREATE TEMP VIEW log AS SELECT seen() AS seen, * FROM main.log WHERE seen() = 1');
  const { changes } = createChanges(db, log)('east', revision, 0, 1e9);
  assert.deepEqual(
    changes.map(({ key: { name } }) => name),
    ['p-7'],
  );
  assert.ok(read > 0 && read <= 10, `${read} rows of the log were read for one change`);
  store.close();
});
