import type { FeedChange } from '../resource/store/store.ts';

/**
 * Takes rows until the next one would make more than `maxBytes` of items, at least one. `more`: that next one exists.
 *
 *   rows of 40, 40, 40 bytes, maxBytes 100  ->  two of them, more
 *   a row of 300 bytes, maxBytes 100        ->  it alone
 */
export function fillBatch<T extends FeedChange>(rows: Iterable<T>, maxBytes: number): { taken: T[]; more: boolean } {
  const taken: T[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += sizeOf(row);
    if (taken.length > 0 && bytes > maxBytes) return { taken, more: true };
    taken.push(row);
  }
  return { taken, more: false };
}

/** A put is as long as its item, which names the key; a delete as long as the key. */
function sizeOf({ key, wire }: FeedChange): number {
  if (wire !== '') return Buffer.byteLength(wire);
  return key.type.length + key.mesh.length + key.zone.length + key.namespace.length + key.name.length;
}
