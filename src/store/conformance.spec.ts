import assert from 'node:assert/strict';
import type { Store } from '../resource/store/store.ts';
import { storeConformance } from '../../test/conformance/store.ts';
import { OPTIONS } from '../../test/harness/sample-store.ts';
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
