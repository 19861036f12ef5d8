import { formatKri, type Key } from '../../resource/key.ts';

/** Who a resource is, in the answers that are ours: the KRI, and its parts for people. */
export function describeKey(key: Key) {
  const { type, mesh, zone, namespace, name } = key;
  return { kri: formatKri(key), type, mesh, zone, namespace, name };
}
