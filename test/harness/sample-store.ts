import * as fc from 'fast-check';
import { type Audience, NOBODY, OTHERS } from '../../src/resource/audience.ts';
import type { Key } from '../../src/resource/key.ts';
import type { Resource } from '../../src/resource/resource.ts';

/** Samples to put into a store. */

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
