import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import * as fc from 'fast-check';
import { type Audience, NOBODY, OTHERS } from '../../src/resource/audience.ts';
import type { Key } from '../../src/resource/key.ts';
import type { Resource } from '../../src/resource/resource.ts';
import { openStore, type SqliteStore } from '../../src/store/open-store.ts';

/** What the tests of the store share. */

export const OPTIONS = { random: () => 'c0ffee' };

export function memory(t: TestContext): SqliteStore {
  const store = openStore(':memory:', OPTIONS);
  t.after(() => store.close());
  return store;
}

/** The path of a database that is not there yet, in a data directory that is not there either. */
export function freshPath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'meridian-store-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'data', 'meridian.db');
}

export function key(name: string, zone = '', more: Partial<Key> = {}): Key {
  return { type: 'MeshTimeout', mesh: 'default', zone, namespace: '', name, ...more };
}

export function resource(of: Key, more: Partial<Resource> = {}): Resource {
  const at = '2024-05-01T10:00:00Z';
  return { key: of, name: of.name, namespace: '', labels: {}, spec: {}, creationTime: at, modificationTime: at, ...more };
}

export const PEERS = ['east', 'west', 'north', 'GLOBAL'];

export const someKey: fc.Arbitrary<Key> = fc.record(
  {
    type: fc.constantFrom('MeshTimeout', 'MeshService'),
    mesh: fc.constantFrom('default', 'other'),
    zone: fc.constantFrom('', 'east', 'west'),
    namespace: fc.constantFrom('', 'backend-ns'),
    name: fc.constantFrom('a', 'b', 'c'),
  },
  { noNullPrototype: true },
);

export const someAudience: fc.Arbitrary<Audience> = fc.oneof(
  fc.constant(NOBODY),
  fc.constant(OTHERS),
  fc.constantFrom('east', 'west', 'north').map((zone): Audience => ({ to: 'only', zone })),
);
