import { isDeepStrictEqual } from 'node:util';
import { type Permission, readPermissions } from '../../policy/decide/read-permissions.ts';
import type { Policy } from '../../policy/match/policy.ts';
import type { SelectingPolicy } from '../../policy/match/select-policies.ts';
import { keyId } from '../../resource/key.ts';
import type { JsonObject } from '../../resource/resource.ts';

interface CachedPermission {
  readonly spec: JsonObject;
  readonly mtp: Permission['mtp'];
  /** By the routes that it is through, the latest first. */
  readonly made: readonly Permission[];
}

/** How many ways through routes are kept of a permission: proxies behind the same routes share one. */
const WAYS = 20;

/**
 * Reads permissions, each once as long as its spec is the same: it is known by its identity what was compiled, and what
 * decides two inbounds alike.
 */
export class PermissionCache {
  #byKey = new Map<string, CachedPermission>();
  /** Those that are for all requests, as most are: a mesh's proxies ask for them all the time. */
  readonly #whole = new WeakMap<Policy, Permission>();

  /** As `readPermissions`, of one; undefined: it is none. */
  read(match: SelectingPolicy): Permission | undefined {
    if (match.policy.shadow) return undefined;
    const whole = match.via === undefined ? this.#whole.get(match.policy) : undefined;
    const permission = whole ?? this.#readOne(match);
    if (permission && match.via === undefined) this.#whole.set(match.policy, permission);
    return permission;
  }

  /** Forgets those that are not among these, once they are the most. */
  keep(policies: readonly Policy[]): void {
    if (this.#byKey.size <= 2 * policies.length) return;
    const ids = new Set(policies.map(({ resource }) => keyId(resource.key)));
    this.#byKey = new Map([...this.#byKey].filter(([id]) => ids.has(id)));
  }

  #readOne(match: SelectingPolicy): Permission | undefined {
    const { key, spec } = match.policy.resource;
    const id = keyId(key);
    const known = this.#byKey.get(id);
    const isKnown = known !== undefined && (known.spec === spec || isDeepStrictEqual(known.spec, spec));
    const before = isKnown ? known.made.find(({ via }) => isDeepStrictEqual(via, match.via)) : undefined;
    if (before) return before;
    const [read] = isKnown ? [{ key, mtp: known.mtp, via: match.via }] : readPermissions([match]);
    if (read) this.#byKey.set(id, { spec, mtp: read.mtp, made: [read, ...(isKnown ? known.made : [])].slice(0, WAYS) });
    return read;
  }
}
