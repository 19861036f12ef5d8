import { isDeepStrictEqual } from 'node:util';
import { type Permission, readPermissions } from '../../policy/decide/read-permissions.ts';
import type { Policy } from '../../policy/match/policy.ts';
import type { SelectingPolicy } from '../../policy/match/select-policies.ts';
import { keyId } from '../../resource/key.ts';
import type { JsonObject } from '../../resource/resource.ts';

interface CachedPermission {
  readonly spec: JsonObject;
  readonly mtp: Permission['mtp'];
}

/**
 * Reads permissions, each once as long as its spec is the same: the compiler knows by the identity of `mtp` what it has
 * compiled.
 */
export class PermissionCache {
  #known = new Map<string, CachedPermission>();

  /** As `readPermissions`. */
  read(matches: readonly SelectingPolicy[]): Permission[] {
    return matches.flatMap((match) => {
      const [permission] = match.policy.shadow ? [] : this.#readOne(match);
      return permission ? [permission] : [];
    });
  }

  /** Forgets those that are not among these, once they are the most. */
  keep(policies: readonly Policy[]): void {
    if (this.#known.size <= 2 * policies.length) return;
    const ids = new Set(policies.map(({ resource }) => keyId(resource.key)));
    this.#known = new Map([...this.#known].filter(([id]) => ids.has(id)));
  }

  #readOne(match: SelectingPolicy): Permission[] {
    const { key, spec } = match.policy.resource;
    const known = this.#known.get(keyId(key));
    if (known && (known.spec === spec || isDeepStrictEqual(known.spec, spec))) {
      this.#known.set(keyId(key), { spec, mtp: known.mtp });
      return [{ key, mtp: known.mtp, via: match.via }];
    }
    const read = readPermissions([match]);
    for (const { mtp } of read) this.#known.set(keyId(key), { spec, mtp });
    return read;
  }
}
