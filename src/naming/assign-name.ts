import { type Key, sameKey } from '../resource/key.ts';
import { kindOf } from '../resource/kinds.ts';
import { hashedName, saltedName } from './hash-name.ts';

/** The names that global has given out so far, for good. */
export interface AssignedNames {
  /** The name that copies of `key` have, if it was ever assigned one. */
  assigned(key: Key): string | undefined;
  /**
   * The key that has this name among all copies of a kind. The mesh does not matter: a kubernetes zone keeps all copies
   * in one namespace.
   */
  holder(type: string, name: string): Key | undefined;
}

/**
 * The name of a copy of `key` (docs/design/names.md#collisions). The caller keeps it: a name never passes to another
 * key.
 *
 *   mesh `default`, MeshTimeout `slow` of zone `east`, namespace `1a`  -> slow-<Kuma's hash>
 *   the same of zone `east1`, namespace `a`, which Kuma calls the same -> slow-<salted hash>
 *   Mesh `default`, a kind whose copies keep their name                -> default
 */
export function nameFor(key: Key, names: AssignedNames): string {
  if (!kindOf(key.type).hashed) return key.name;
  const assigned = names.assigned(key);
  if (assigned !== undefined) return assigned;
  for (let n = 0; ; n++) {
    const candidate = n === 0 ? hashedName(key) : saltedName(key, n);
    const holder = names.holder(key.type, candidate);
    if (!holder || sameKey(holder, key)) return candidate;
  }
}
