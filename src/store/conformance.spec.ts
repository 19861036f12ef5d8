import assert from 'node:assert/strict';
import type { Store } from '../resource/store/store.ts';
import { storeConformance } from '../../test/conformance/store.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { OPTIONS } from '../../test/harness/test-store.ts';
import { openSnapshot, openStore, type SqliteStore } from './open-store.ts';

const opened = new WeakMap<Store, SqliteStore>();

function known(store: SqliteStore): Store {
  opened.set(store, store);
  return store;
}

storeConformance('the store in SQLite', {
  open: () => known(openStore(':memory:', OPTIONS)),
  reopen(store) {
    const sqlite = opened.get(store);
    assert.ok(sqlite);
    const bytes = sqlite.snapshot();
    sqlite.close();
    return known(openSnapshot(bytes, OPTIONS));
  },
});

const folder = mkdtempSync(join(tmpdir(), 'meridian-conformance-'));
after(() => rmSync(folder, { recursive: true }));
const paths = new WeakMap<Store, string>();
let files = 0;

function openFile(path: string): Store {
  const store = openStore(path, OPTIONS);
  paths.set(store, path);
  return store;
}

/** Each run writes to the disk: a few are enough beside those in memory. */
storeConformance(
  'the store in a file',
  {
    open: () => openFile(join(folder, String(files++), 'meridian.db')),
    reopen(store) {
      store.close();
      return openFile(paths.get(store) ?? assert.fail('not opened here'));
    },
  },
  15,
);
